// What the library does with games of earlier pages, damaged ones and files.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Play, newDocument, newId } from "../../assets/document.js";
import { decoded } from "../../assets/encoding.js";
import { Collection, documentOf, pieces } from "../../assets/pdn.js";
import { Library, faultOf } from "../../assets/library.js";
import { World } from "./world.mjs";

/** A `localStorage` with some entries. */
function storage(entries) {
  const map = { ...entries };
  Object.defineProperties(map, {
    getItem: { value: (key) => map[key] ?? null },
    setItem: { value: (key, text) => (map[key] = text) },
    removeItem: { value: (key) => delete map[key] },
  });
  return map;
}

const played = (more = {}) => newDocument({ variant: "any", line: [{ move: "1-2" }], isDraft: false, ...more });

const line = (...moves) => ["1-2", ...moves].map((move) => ({ move }));

/** The lines of all games, as texts. */
const lines = async (library) => (await library.games()).map((game) => game.line.map(({ move }) => move).join(" ")).sort();

test("games of earlier pages are taken over, and damaged ones set aside", async () => {
  const game = played();
  const old = storage({ "crownhead.game.a": JSON.stringify(game), "crownhead.game.b": "{", "crownhead.game.c": JSON.stringify({ id: "c", variant: "any", line: 5 }), "crownhead.sound": "true" });
  const library = new World().library(old);
  assert.deepEqual((await library.games()).map(({ id }) => id), [game.id]);
  assert.deepEqual((await library.aside()).map(({ fault }) => fault).sort(), ["it has no identifier", "its moves cannot be read"]);
  assert.deepEqual(Object.keys(old), ["crownhead.sound"]);
});

test("a page that closes while it stores a move loses none", async () => {
  for (const [what, isWritten, isChanged, wanted] of [
    ["the write is lost with the page", false, false, ["1-2 3-4"]],
    ["the write ends all the same", true, false, ["1-2 3-4"]],
    ["another tab was faster", false, true, ["1-2 3-4", "1-2 5-6"]],
  ]) {
    const world = new World();
    const local = storage({});
    const library = world.library(local);
    const { game } = await library.keep(played());
    world.isFull = !isWritten;
    const storing = library.keep({ ...game, line: [{ move: "1-2" }, { move: "3-4" }] });
    library.leave();
    const left = storage(local);
    await storing;
    world.isFull = false;
    if (isChanged) await world.library().keep({ ...game, line: [{ move: "1-2" }, { move: "5-6" }] });
    const next = world.library(left);
    assert.deepEqual(await lines(next), wanted, what);
    assert.deepEqual(Object.keys(left), [], what);
    if (isWritten) assert.deepEqual(Object.keys(local), [], "a page that goes on leaves nothing behind");
  }
});

test("what cannot be taken over is shown, played on and not forgotten", async () => {
  const world = new World();
  const local = storage({});
  const library = world.library(local);
  const { game } = await library.keep(played());
  world.isFull = true;
  await library.keep({ ...game, line: line("3-4") });
  library.leave();
  const full = world.library(local);
  assert.deepEqual(await lines(full), ["1-2 3-4"]);
  assert.equal(Object.keys(local).length, 1);
  await full.keep({ ...(await full.game(game.id)), line: line("3-4", "5-6") });
  full.leave();
  assert.equal(Object.keys(local).length, 1, "what it has left is newer");
  const again = world.library(local);
  await again.open();
  world.isFull = false;
  await again.keep({ ...(await again.game(game.id)), line: line("3-4", "5-6", "7-8") });
  assert.deepEqual(await lines(world.library(local)), ["1-2 3-4 5-6 7-8"]);
  assert.deepEqual(Object.keys(local), []);
});

test("a tab that plays on keeps what a closed one has left", async () => {
  const world = new World();
  const local = storage({});
  const [one, other] = [world.library(local), world.library(local)];
  const { game } = await one.keep(played());
  await other.open();
  world.isFull = true;
  const storing = one.keep({ ...game, line: line("3-4") });
  one.leave();
  await storing;
  world.isFull = false;
  await other.keep({ ...(await other.game(game.id)), line: line("5-6") });
  assert.deepEqual(await lines(world.library(local)), ["1-2 3-4", "1-2 5-6"]);
});

test("a page leaves the last change of each game, and all that there is space for", async () => {
  const world = new World();
  const local = storage({});
  const library = world.library(local);
  const begun = [];
  for (const name of ["one", "large", "other"]) begun.push((await library.keep(played({ name }))).game);
  const [one, large, other] = begun;
  world.isFull = true;
  await library.keep({ ...one, line: line("3-4") });
  await library.keep({ ...large, comment: "x".repeat(5000) });
  await library.keep({ ...other, line: line("7-8") });
  const storing = library.keep({ ...one, line: line("3-4", "5-6") });
  const setItem = (key, text) => {
    if (text.length > 5000) throw new DOMException("no space", "QuotaExceededError");
    local.setItem(key, text);
  };
  library.local = { setItem, removeItem: local.removeItem };
  library.leave();
  const left = storage(local);
  await storing;
  world.isFull = false;
  assert.deepEqual(await lines(world.library(left)), ["1-2", "1-2 3-4 5-6", "1-2 7-8"]);
});

test("a change that waits for another one is left, whether the other was stored or not", async () => {
  for (const isWritten of [false, true]) {
    const world = new World();
    const local = storage({});
    const library = world.library(local);
    const { game } = await library.keep(played());
    world.isFull = !isWritten;
    const storing = library.keep({ ...game, line: line("3-4") });
    library.next({ ...game, line: line("3-4", "5-6") }, storing);
    library.next({ ...game, line: line("3-4", "5-6", "7-8") }, storing);
    library.leave();
    await storing;
    world.isFull = false;
    assert.deepEqual(await lines(world.library(local)), ["1-2 3-4 5-6 7-8"]);
    assert.deepEqual(Object.keys(local), []);
  }
});

test("without a database the next page has what a page has left", async () => {
  const local = storage({});
  const library = () => new Library({ factory: null, channel: null, local, newId });
  const game = played();
  const first = library();
  await first.keep(game);
  first.leave();
  for (let reload = 0; reload < 3; reload += 1) {
    const next = library();
    assert.equal((await next.game(game.id)).line.length, 1);
    next.leave();
    assert.equal(Object.keys(local).length, 1);
  }
});

test("a game that is new when its page closes is found by its address", async () => {
  const world = new World();
  const local = storage({});
  const library = world.library(local);
  world.isFull = true;
  const game = played();
  await library.keep(game);
  library.leave();
  world.isFull = false;
  assert.equal((await world.library(local).game(game.id)).line.length, 1);
});

test("a stored game that is damaged stops no other one", async () => {
  const world = new World();
  const library = world.library();
  await library.keep(played({ name: "sound" }));
  await library.transact("readwrite", async (games) => games.put({ id: "bad", version: 1, variant: 7 }));
  assert.deepEqual((await library.games()).map(({ name }) => name), ["sound"]);
  assert.equal(await library.game("bad"), null);
  assert.deepEqual((await library.aside()).map(({ id }) => id), ["bad"]);
});

test("what the page could not show is no game", () => {
  const game = newDocument({ variant: "any", line: [{ move: "1-2", comment: "", glyph: "!", data: [["clock", "w0"]], shapes: ["1-2"], value: null, variations: [[{ move: "3-4" }]] }], tags: [["Round", "3"]] });
  assert.equal(faultOf(game), null);
  assert.equal(faultOf(new Play(game).save()), null);
  const { tags, ...early } = game;
  assert.equal(faultOf(early), null, "earlier pages stored no tags");
  const ply = (more) => ({ line: [{ move: "1-2", ...more }] });
  const white = { ...game.terms.white, strength: 5 };
  const odd = [{ tags: 5 }, { tags: [5] }, { tags: [["Round", {}]] }, { shapes: 5 }, { shapes: [7] }, { terms: { ...game.terms, white } }];
  const plies = [{ comment: 5 }, { glyph: {} }, { fault: 5 }, { by: [] }, { data: null }, { data: [5] }, { shapes: 5 }, { shapes: [{}] }, { variations: null }, { variations: 5 }, { variations: [[{}]] }];
  for (const more of [...odd, ...plies.map(ply)]) assert.ok(faultOf({ ...game, ...more }), JSON.stringify(more));
});

test("everything can be exported and imported; nothing is overwritten", async () => {
  const library = new World().library();
  const { game } = await library.keep(played({ name: "one" }));
  await library.keep(played({ name: "two" }));
  const text = await library.toFile();
  const other = new World(2).library();
  assert.deepEqual(await other.fromFile(text), { added: 2, known: 0, damaged: 0 });
  assert.deepEqual((await other.games()).map(({ name }) => name).sort(), ["one", "two"]);
  await library.keep({ ...game, line: [{ move: "1-2" }, { move: "3-4" }] });
  assert.deepEqual(await library.fromFile(text), { added: 1, known: 1, damaged: 0 });
  const lengths = (await library.games()).filter(({ name }) => name === "one").map(({ line }) => line.length);
  assert.deepEqual(lengths.sort(), [1, 2]);
  assert.deepEqual(await library.fromFile(text), { added: 0, known: 2, damaged: 0 }, "the copy is known the second time");
  assert.equal(await library.fromFile("{}"), null);
  assert.deepEqual(await library.fromFile('{"format": "crownhead games", "games": [{"id": 1}]}'), { added: 0, known: 0, damaged: 1 });
});

test("an import is stored in one go, with its dates, or as much of it as there is space for", async () => {
  const world = new World();
  const library = world.library();
  const one = { ...played({ name: "one" }), id: "one", changed: 5 };
  const text = JSON.stringify({ format: "crownhead games", games: [one, played({ name: "two" }), { ...one, name: "again" }, one] });
  const other = world.library();
  let news = 0;
  other.listen(() => (news += 1));
  assert.deepEqual(await library.fromFile(text), { added: 3, known: 1, damaged: 0 });
  await world.rest();
  assert.equal(news, 1, "other tabs read the list once");
  assert.deepEqual((await other.games()).map(({ name }) => name).sort(), ["again", "one", "two"]);
  assert.equal((await other.game("one")).changed, 5);
  assert.deepEqual(await other.fromFile(text), { added: 0, known: 4, damaged: 0 });
  const full = new World(3);
  full.isFull = true;
  const small = full.library();
  assert.deepEqual(await small.fromFile(text), { added: 3, known: 1, damaged: 0 });
  assert.equal(small.unsaved.size, 3);
  full.isFull = false;
  await small.keep(played({ name: "new" }));
  await full.rest();
  assert.deepEqual([small.unsaved.size, (await full.library().games()).length], [0, 4]);
});

test("a tab's own list learns of a change that a view stores after it was left", async () => {
  const library = new World().library();
  const heard = [];
  library.listen(({ kind, id }) => heard.push([kind, id]));
  const { game } = await library.keep(played({ name: "one" }));
  assert.deepEqual(heard, [["stored", game.id]]);
});

test("without a database games last until the page is closed", async () => {
  const library = new Library({ factory: null, channel: null, newId: () => "x" });
  const game = played();
  assert.deepEqual(await library.keep(game), { problem: "closed" });
  assert.equal((await library.games()).length, 1);
  assert.equal((await library.game(game.id)).line.length, 1);
});

test("a database that opens late, or never, holds nobody up", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const world = new World();
  const request = {};
  const library = new Library({ factory: { open: () => request }, channel: null, newId });
  const game = played();
  const kept = library.keep(game);
  context.mock.timers.tick(5000);
  assert.deepEqual(await kept, { problem: "closed" });
  assert.equal((await library.game(game.id)).line.length, 1);
  const other = world.library();
  await other.open();
  request.result = other.database;
  request.onsuccess();
  await library.open();
  await library.keep(played());
  await world.rest();
  assert.equal((await other.games()).length, 2);
});

test("drafts are removed after a day", async () => {
  const world = new World();
  const library = world.library();
  const draft = newDocument({ variant: "any" });
  await library.keep({ ...draft, created: world.date });
  world.date += 25 * 3600 * 1000;
  const later = world.library();
  assert.equal(await later.game(draft.id), null);
});

test("a collection of any size is read in pieces of whole games", () => {
  const game = (number) => `[Event "Game ${number}"]\n[White "A"]\n\n1. 11-15 23-19 { a comment\n\n[ no tag ] } *\n\n`;
  const text = Array.from({ length: 500 }, (_, index) => game(index)).join("");
  const parts = pieces(text, 4000);
  assert.ok(parts.length > 5);
  assert.equal(parts.join(""), text);
  for (const part of parts.slice(1)) assert.match(part, /^\s*\[Event/);
  assert.deepEqual(pieces("11-15 23-19"), ["11-15 23-19"]);
});

test("an imported game keeps its facts, and has none that nobody stated", () => {
  const tags = [["Event", "Match"], ["Date", "1937.01.02"], ["Round", "3"], ["White", "Asa Long"], ["Result", "1-0"]];
  const line = [{ move: "11-15", comment: "[%clock w0:03:00 B0:03:00] good [%eval 0.12]", glyph: "", variations: [] }];
  const document = documentOf({ tags, line, comment: "", result: "white", game: { variant: "any", start: "x", status: "ongoing" } });
  assert.equal(document.line[0].comment, "good");
  assert.deepEqual(document.ended, { status: "white", reason: "" });
  assert.deepEqual(document.tags, [["Date", "1937.01.02"], ["Round", "3"]]);
  assert.equal(document.terms.white.name, "Asa Long");
  assert.ok(document.isRecord && document.isDraft);
  assert.ok(new Collection("x", { board: "any" }).known.games.length === 0);
});

test("files are read in the encoding that they have", () => {
  const russian = "[White \"Иванов\"] {Белые начинают и выигрывают} 1. c3-d4";
  const koi8 = new Map([..."юабцдефгхийклмнопярстужвьызшэщчъЮАБЦДЕФГХИЙКЛМНОПЯРСТУЖВЬЫЗШЭЩЧЪ"].map((letter, place) => [letter, 0xc0 + place]));
  const cp1251 = (letter) => letter.codePointAt(0) - 0x410 + 0xc0;
  const bytes = (text, high) => Uint8Array.from([...text].map((letter) => (letter < "\u0080" ? letter.codePointAt(0) : high(letter))));
  const utf16 = Uint8Array.from([0xff, 0xfe, ...[...russian].flatMap((letter) => [letter.codePointAt(0) & 255, letter.codePointAt(0) >> 8])]);
  const cases = [
    [new TextEncoder().encode(russian), "utf-8", russian],
    [bytes(russian, cp1251), "windows-1251", russian],
    [bytes(russian, (letter) => koi8.get(letter)), "koi8-r", russian],
    [utf16, "utf-16le", russian],
    [bytes("Café Müller, naïve", (letter) => letter.codePointAt(0)), "windows-1252", "Café Müller, naïve"],
  ];
  for (const [given, encoding, text] of cases) assert.deepEqual(decoded(given), { text, encoding });
  assert.equal(decoded(bytes(russian, cp1251), "koi8-r").encoding, "koi8-r", "what is stated holds");
});

test("what a file says for programs outlasts a change", () => {
  const line = [{ move: "1-2", data: [["clock", "w0:03:00"]] }];
  assert.deepEqual(new Play(newDocument({ variant: "any", line })).save().line, line);
});
