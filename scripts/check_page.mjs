#!/usr/bin/env node
// Tests the page of `crownhead serve` and exported pages in headless browsers, as people use them.
//
//     cargo build --release && scripts/check_page.mjs
//     scripts/check_page.mjs --browser firefox    # whole games, in Firefox
//     scripts/check_page.mjs --screenshots docs/figures --runs runs
//     scripts/check_page.mjs --delay 300    # as on a busy machine: replies come 300 ms late
//
// Needs node with npm, Chromium, and Firefox for its part. On Debian:
//
//     apt-get install chromium firefox-esr nodejs npm

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { createInterface } from "node:readline";
import { after, describe, test } from "node:test";
import { setTimeout as rest } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual, parseArgs } from "node:util";
import { require } from "./page_tools.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const CROWNHEAD = process.env.CROWNHEAD ?? join(ROOT, "target/release/crownhead");
const { values: options } = parseArgs({ options: { browser: { type: "string", default: "chromium" }, screenshots: { type: "string" }, runs: { type: "string", default: "runs" }, delay: { type: "string", default: "0" } } });
const IS_FIREFOX = options.browser === "firefox";
const PROGRAMS = IS_FIREFOX ? ["firefox-esr", "firefox"] : ["chromium", "chromium-browser", "google-chrome"];

// Firefox is driven by WebDriver BiDi, the protocol that it has without changes.
const { chromium, _bidiFirefox: firefox } = require("playwright-core");

const TEMPORARY = mkdtempSync(join(tmpdir(), "crownhead-page-"));
const RUNS = join(TEMPORARY, "runs");
const browser = await (IS_FIREFOX ? firefox : chromium).launch({
  executablePath: PROGRAMS.map((name) => `/usr/bin/${name}`).find(existsSync),
  args: IS_FIREFOX ? [] : ["--no-sandbox", "--hide-scrollbars"],
  firefoxUserPrefs: { "dom.w3c_touch_events.enabled": 1 },
});
const closing = [];
after(async () => {
  for (const close of closing) await close();
  await browser.close();
  rmSync(TEMPORARY, { recursive: true });
});

/** Waits until `read` gives a value that equals `wanted`, or for which it is true, and returns the value; long enough for a busy machine. */
async function until(read, wanted = Boolean) {
  const fits = typeof wanted === "function" ? wanted : (found) => isDeepStrictEqual(found, wanted);
  for (const end = Date.now() + 60_000; ; await rest(15)) {
    const found = await read();
    if (fits(found)) return found;
    if (Date.now() > end) assert.fail(`${read}: ${JSON.stringify(found)}, and not ${JSON.stringify(wanted) ?? wanted}`);
  }
}

/** The order to train a small run, in a folder of its own or of others. */
function trainOrder(run, seed, generations, ...others) {
  return ["train", "english", "--preset", "tiny", "--run", join(TEMPORARY, run), "--seed", seed, "--generations", generations, ...others];
}

const train = (...order) => execFileSync(CROWNHEAD, trainOrder(...order), { stdio: "ignore" });

/** Starts a server; its first address. It must end well. */
async function serve(...order) {
  const server = spawn(CROWNHEAD, ["--format", "json", "serve", "--port", "0", ...order], { stdio: ["ignore", "pipe", "inherit"] });
  const ended = new Promise((resolve) => server.on("exit", resolve));
  closing.push(async () => {
    server.kill("SIGINT");
    assert.equal(await ended, 0, "the server ends well");
  });
  const { value } = await createInterface(server.stdout)[Symbol.asyncIterator]().next();
  return JSON.parse(value).url;
}

/** A page in a browser of its own, which must not report errors. */
async function open(t, url, settings = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...settings });
  const page = await context.newPage();
  if (Number(options.delay)) {
    await page.route("**/api/**", async (route) => {
      await rest(Number(options.delay));
      await route.fallback().catch(() => {});
    });
  }
  await page.addInitScript((isFirefox) => {
    if (isFirefox) {
      // Over its protocol only what the console shows is reported.
      addEventListener("error", ({ error, message }) => console.error(error?.stack ?? message));
      addEventListener("unhandledrejection", ({ reason }) => console.error(reason?.stack ?? String(reason)));
    }
    window.shift = 0;
    const add = (list) => list.getEntries().forEach(({ hadRecentInput, value }) => (window.shift += hadRecentInput ? 0 : value));
    new PerformanceObserver(add).observe({ type: "layout-shift", buffered: true });
    window.animations = 0;
    const { animate } = Element.prototype;
    Element.prototype.animate = function (...how) {
      window.animations += 1;
      return animate.apply(this, how);
    };
  }, IS_FIREFOX);
  const errors = [];
  page.on("pageerror", (error) => errors.push(error.stack));
  // Requests that fail on purpose are logged too, and so are searches that other open pages leave
  // no slot for.
  const isExpected = (text, { url }) => desk.forgiven.some((part) => text.includes(part)) || text.includes("status of 40") || (text.includes("status of 503") && url.endsWith("/api/think")) || /ERR_(INTERNET_DISCONNECTED|FAILED)/.test(text);
  page.on("console", (message) => message.type() === "error" && !isExpected(message.text(), message.location()) && errors.push(message.text()));
  const desk = new Desk(page, url);
  t.after(async () => {
    await context.close();
    assert.deepEqual(errors, []);
  });
  await desk.go(settings.hash ?? "#/play");
  return desk;
}

/** What somebody does and sees on the page. */
class Desk {
  constructor(page, url) {
    Object.assign(this, { page, url, forgiven: [] });
  }

  async go(hash) {
    await this.page.goto("about:blank");
    await this.page.goto(this.url + hash);
  }

  square = (number) => this.page.locator(`[data-square="${number}"]`);
  squares = (words) => this.page.locator(".hit").evaluateAll((hits, text) => hits.filter((hit) => hit.ariaLabel.includes(text)).map((hit) => Number(hit.dataset.square)), words);
  state = () => this.page.locator(".status").evaluate((status) => ({ ...status.dataset }));
  plies = async () => Number((await this.state()).plies);
  texts = (selector) => this.page.locator(selector).allTextContents();
  text = async (selector) => (await this.texts(selector)).join(" ");
  moves = () => this.texts(".moves button");
  hash = () => new URL(this.page.url()).hash;

  /** Presses a button; one of a menu is looked for there. */
  async press(text) {
    const button = this.page.locator(`button:text-is("${text}")`).first();
    if (await button.evaluate((element) => element.closest(".menu")?.open === false)) await this.page.locator(".menu summary").click();
    await button.click();
  }

  keys = async (...keys) => { for (const key of keys) await this.page.keyboard.press(key); };
  unfold = (text) => this.page.locator("summary", { hasText: text }).click();
  choose = (name, value) => this.page.locator(`[name="${name}"]`).selectOption(String(value));
  count = (selector) => this.page.locator(selector).count();

  async begin(variant, first = "human", second = "human", clock = "") {
    const { game: before } = await until(this.state, ({ game }) => game);
    await this.press("New game");
    const dialog = this.page.getByRole("dialog");
    await this.chooseVariant(variant);
    for (const [order, player] of [["first", first], ["second", second]]) await this.seat(order, player);
    await dialog.locator("[name=clock]").selectOption(clock);
    await dialog.getByRole("button", { name: "Start" }).click();
    // The game on the board may be of the same kind; until the new one is there, keys have no
    // effect.
    await until(this.state, ({ game }) => game && game !== before);
    const begun = async () => [(await this.text(".status .variant")).toLowerCase(), await this.count(".clock")];
    await until(begun, [variant, clock ? 2 : 0]);
    await until(this.moves, (moves) => moves.length === 0 || first !== "human");
  }

  /** Chooses a game in the dialog, whose players are then offered. */
  async chooseVariant(variant) {
    await this.choose("variant", variant);
    await until(() => this.page.locator("dialog a").getAttribute("href"), `#/rules/${variant}`);
  }

  /** Chooses a player in the dialog, at a strength if it has one. */
  async seat(order, id) {
    const dialog = this.page.getByRole("dialog");
    const [base, elo] = id.split(",elo=");
    await dialog.locator(`[name=${order}]`).selectOption(base);
    const slider = dialog.locator(`[name=${order}-elo]`);
    if (!(await slider.isVisible())) return;
    await slider.press(elo ? "Home" : "End");
    const text = () => dialog.locator(".slider").filter({ has: this.page.locator(`[name=${order}-elo]`) }).locator("output").textContent();
    for (let step = 0; elo && (await text()) !== `${elo} Elo`; step += 1) {
      assert.ok(step < 50, `${id} is not offered`);
      await slider.press("ArrowRight");
    }
  }

  async load(text) {
    await this.page.locator("textarea").fill(text);
    await this.press("Load");
  }

  /** Chooses a move in the list. */
  async look(move) {
    await this.page.locator(`.moves button:text-is("${move}")`).click();
    await until(() => this.text(".moves [aria-current]"), move);
    await this.settle();
  }

  /** Waits until the server has sent what is shown; what is entered before has no effect. */
  async settle() {
    await until(() => this.page.evaluate(() => !document.querySelector('.status[data-status="loading"], .status[data-phase="loading"], .board[aria-busy="true"]')));
  }

  async enter(...squares) {
    await this.settle();
    for (const number of squares) await this.square(number).click();
  }

  /** How the game stands, and the squares that can be chosen, with their middles in the window. */
  offer = () => this.page.evaluate(() => {
    const found = (fits) => [...document.querySelectorAll(".hit")].filter((hit) => fits(hit.ariaLabel)).map((hit) => {
      const { x, y, width, height } = hit.getBoundingClientRect();
      return { number: Number(hit.dataset.square), x: x + width / 2, y: y + height / 2 };
    });
    const { status, plies } = document.querySelector(".status").dataset;
    const [, again] = /Choose (\w+) again/.exec(document.querySelector(".hint").textContent) ?? [];
    const [starts, targets] = ["can move", "can be moved to"].map((words) => found((label) => label.includes(words)));
    return { status, plies: Number(plies), starts, targets: targets.length ? targets : found((label) => label.startsWith(`square ${again},`)) };
  });

  /** Enters a move: `choose(square, isFirst)` does it for each of its squares, `one(squares)` says which. */
  async move(choose = this.pointing("mouse"), one = ([first]) => first) {
    await this.settle();
    await this.page.locator(".board").evaluate((board) => board.scrollIntoView({ block: "nearest" }));
    let offer = await until(this.offer, ({ starts }) => starts.length);
    for (const { plies } = offer; offer.plies === plies; ) {
      const { targets, starts } = offer;
      await choose(one(targets.length ? targets : starts), targets.length === 0);
      const squares = ({ targets, starts }) => [targets, starts].map((list) => list.map(({ number }) => number));
      // Nothing can be chosen while the server is asked; loading may move the board.
      const goesOn = (now) => now.starts.length + now.targets.length > 0 && !isDeepStrictEqual(squares(now), squares(offer));
      offer = await until(this.offer, (now) => now.plies !== plies || goesOn(now));
    }
  }

  /** How a mouse or a finger chooses squares: by a click or a tap, or by pulling the piece to the second one. */
  pointing(kind, isPulling = false) {
    let [hand, isHeld] = [null, false];
    return async ({ x, y }, isFirst) => {
      hand ??= await handOf(this.page, kind);
      if (!isHeld && !(isPulling && isFirst)) return hand.tap(x, y);
      if (isFirst) await hand.down(x, y);
      // A little way is a pull already.
      await hand.to(x, isFirst ? y - 12 : y);
      if (!isFirst) await hand.up();
      isHeld = isFirst;
    };
  }

  /** Chooses a square by the keys alone; a piece after a change of mind. */
  pressing = async ({ number }, isFirst) => {
    if (isFirst) {
      // After a click the arrow keys step through the game; after Tab they move the focus.
      await this.keys("Tab");
      await this.page.locator('.hit[tabindex="0"]').focus();
    }
    await this.walk(number);
    await this.keys(...(isFirst ? ["Enter", "Escape", "Enter"] : ["Enter"]));
  };

  /** Plays moves at random until the game is over, by turns with the mouse, a finger and the keys. */
  async playOut(seed) {
    const random = randomness(seed);
    const ways = [this.pointing("mouse"), this.pressing, this.pointing("finger"), this.pointing("mouse", true), this.pointing("finger", true)];
    for (let turn = 0; await this.isToMove(); turn += 1) await this.move(ways[turn % ways.length], (squares) => squares[Math.floor(random() * squares.length)]);
  }

  /** Whether the user is to move, or the game is over, once the answer is on the board. */
  async isToMove() {
    const read = async () => {
      const { status, starts } = await this.offer();
      return ["ongoing", "thinking"].includes(status) ? starts.length > 0 && "to move" : "over";
    };
    return (await until(read)) === "to move";
  }

  /** Moves the focus with the arrow keys to a square. */
  async walk(goal) {
    for (let step = 0; step < 20; step += 1) {
      const [down, right] = await this.page.evaluate((goal) => {
        const [here, there] = [document.activeElement, document.querySelector(`[data-square="${goal}"]`)];
        return ["y", "x"].map((axis) => there[axis].baseVal.value - here[axis].baseVal.value);
      }, goal);
      if (down === 0 && right === 0) return;
      await this.keys(down ? (down > 0 ? "ArrowDown" : "ArrowUp") : right > 0 ? "ArrowRight" : "ArrowLeft");
    }
    assert.fail(`the arrow keys do not lead to ${goal}`);
  }

  /** How far the page has shifted on its own, as the Layout Instability API counts it. */
  shift = () => this.page.evaluate(() => window.shift);

  /** Waits for a number of plies, and for the user's turn. */
  wait = (plies) => until(this.state, (state) => Number(state.plies) >= plies && !["loading", "thinking"].includes(state.phase));
}

/** A hand that taps, or presses, moves and lifts: the mouse, or a finger by the protocol of the browser. */
async function handOf(page, kind) {
  const { mouse } = page;
  if (kind === "mouse") return { tap: (x, y) => mouse.click(x, y), down: (x, y) => mouse.move(x, y).then(() => mouse.down()), to: (x, y) => mouse.move(x, y), up: () => mouse.up() };
  if (IS_FIREFOX) {
    const { _session: session } = page._connection.toImpl(page).delegate;
    const send = (...actions) => session.send("input.performActions", { context: session.sessionId, actions: [{ type: "pointer", id: "finger", parameters: { pointerType: "touch" }, actions }] });
    const to = (x, y) => ({ type: "pointerMove", x: Math.round(x), y: Math.round(y) });
    const [down, up] = ["pointerDown", "pointerUp"].map((type) => ({ type, button: 0 }));
    // A tap is one order: a finger that stays for half a second opens a menu.
    return { tap: (x, y) => send(to(x, y), down, up), down: (x, y) => send(to(x, y), down), to: (x, y) => send(to(x, y)), up: () => send(up) };
  }
  const devtools = await page.context().newCDPSession(page);
  const send = (type, ...touchPoints) => devtools.send("Input.dispatchTouchEvent", { type, touchPoints });
  const [down, to, up] = [(x, y) => send("touchStart", { x, y }), (x, y) => send("touchMove", { x, y }), () => send("touchEnd")];
  return { tap: (x, y) => Promise.all([down(x, y), up()]), down, to, up };
}

/** Random numbers below 1 that a seed repeats. */
function randomness(seed) {
  let state = seed;
  return () => (state = (state * 48271) % 2147483647) / 2147483647;
}

/** A busy machine needs far longer than a quiet one. */
const LIMIT = { timeout: 300_000 };

/** A test with a page of its own. */
const on = (name, url, act, settings) => test(name, LIMIT, async (t) => act(await open(t, url, settings), t));

function checkGames(url, variants) {
  assert.ok(variants.length >= 5);
  for (const [seed, { name }] of variants.entries()) {
    on(`a whole game of ${name} by mouse, finger and keys`, url, async (desk) => {
      await desk.begin(name, "human", "alphabeta:depth=1");
      await desk.move();
      await desk.wait(2);
      await until(() => desk.text("#announcer"), (text) => /^(White|Black): \S+[-x:]\S+\. $/.test(text));
      await desk.move(desk.pressing);
      await desk.wait(4);
      await desk.keys("u");
      await until(desk.plies, 2);
      const [address, moves] = [desk.hash(), await desk.moves()];
      await desk.page.reload();
      await until(desk.moves, moves);
      assert.equal(desk.hash(), address);
      await desk.playOut(seed + 1);
      await until(async () => (await desk.text(".why")).length > 10);
      assert.ok(await desk.page.evaluate(() => window.animations > 0), "pieces glide");
      await desk.keys("a");
      await until(() => desk.text(".engine"), (text) => text.includes("The game is over in this position."));
    }, { hasTouch: true });
  }
}

function checkBoard(url) {
  on("a game is never lost", url, async (desk) => {
    const { page } = desk;
    await desk.begin("frisian");
    await desk.move();
    await until(desk.plies, 1);
    const [address, moves] = [desk.hash(), await desk.moves()];
    assert.match(address, /^#\/game\//);
    const isBack = async () => { await until(desk.moves, moves); assert.equal(desk.hash(), address); };
    await page.keyboard.press("Tab");
    await page.locator(".skip").focus();
    await page.keyboard.press("Enter");
    assert.equal(await page.evaluate(() => document.activeElement.id), "main");
    await isBack();
    await page.locator("nav a[href='#/runs']").click();
    await page.locator("h1:text-is('Runs')").waitFor();
    await page.locator("nav a[href='#/play']").click();
    await isBack();
    await page.goBack();
    await page.locator("h1:text-is('Runs')").waitFor();
    await page.goForward();
    await isBack();
    // Starting another game keeps this one in the list, and back returns to it.
    await desk.begin("thai");
    await page.goBack();
    await isBack();
    await desk.go("#/games");
    await until(() => desk.count("tbody tr"), 1);
    await page.getByRole("button", { name: "Rename" }).first().click();
    await page.keyboard.type("My game");
    await page.keyboard.press("Enter");
    const names = () => desk.texts("td:first-child a");
    await until(names, (found) => found.join().startsWith("My game"));
    // A name that is being typed is there after a reload too.
    await page.getByRole("button", { name: "Rename" }).first().click();
    await desk.keys("End");
    await page.keyboard.type(" again");
    await page.reload();
    await until(names, (found) => found.join().startsWith("My game again"));
    for (const leave of [() => desk.keys("X", "Escape"), () => page.locator("h1").click()]) {
      await page.getByRole("button", { name: "Rename" }).first().click();
      await leave();
      await until(() => desk.count("td input"), 0);
      assert.match((await names()).join(), /^My game/);
    }
    await page.getByRole("button", { name: "Delete My game" }).click();
    await until(names, (found) => !found.join().startsWith("My game"));
    await desk.press("Undo");
    await until(names, (found) => found.join().startsWith("My game"));
    await desk.go(address);
    await isBack();
  });

  on("a new game without a move, and how the board is turned, outlast a look at the rules and a reload", url, async (desk) => {
    const { page } = desk;
    await desk.begin("english");
    await desk.move();
    await until(desk.plies, 1);
    await desk.begin("thai", "human", "random");
    const { game } = await desk.state();
    await desk.keys("f");
    const place = () => desk.square(1).evaluate((hit) => hit.y.baseVal.value);
    const before = await place();
    await page.locator("nav a[href='#/rules']").click();
    await page.locator(".pills").waitFor();
    assert.equal(await page.title(), "Rules – Crownhead");
    await page.locator("nav a[href='#/play']").click();
    await until(desk.state, (state) => state.game === game);
    await page.reload();
    await until(desk.state, (state) => state.game === game);
    assert.equal(await place(), before);
  });

  on("keys of another keyboard; what is stepped to is said", url, async (desk) => {
    const { page } = desk;
    await desk.begin("english");
    await desk.enter(11, 15);
    await until(desk.plies, 1);
    const said = () => desk.text("#announcer");
    await desk.keys("ArrowLeft");
    await until(said, "The start position");
    await desk.keys("ArrowRight");
    await until(said, "move 1, 11-15");
    const press = (key, code) => page.evaluate((keys) => document.body.dispatchEvent(new KeyboardEvent("keydown", { ...keys, bubbles: true })), { key, code });
    await press("г", "KeyU");
    await until(desk.plies, 0);
    await press("R", "KeyR");
    await until(desk.plies, 1);
  });

  on("variations, comments, marks, undo, PDN, files, links", url, async (desk, t) => {
    const { page } = desk;
    await desk.begin("english");
    await desk.unfold("Comment and mark");
    await desk.unfold("Save, open, share");
    await desk.enter(11, 15);
    await until(desk.moves, ["11-15"]);
    await desk.enter(23, 19);
    await until(desk.moves, ["11-15", "23-19"]);
    // Another move in an earlier position becomes a variation; the game itself is unchanged.
    await desk.look("11-15");
    await desk.enter(22, 17);
    await until(desk.moves, ["11-15", "23-19", "22-17"]);
    assert.equal(await desk.plies(), 2);
    await page.locator("[data-glyph='!?']").click();
    await until(desk.moves, (moves) => moves.includes("22-17!?"));
    await page.locator("[name=comment]").fill("the dyke {");
    await page.keyboard.press("Enter");
    await until(() => desk.text(".moves .comment"), "the dyke {");
    await desk.press("Main line");
    const tree = ["11-15", "22-17!?", "23-19"];
    await until(desk.moves, tree);
    assert.equal(await desk.plies(), 2, "in a study the main line is the game");
    await desk.press("Copy PDN");
    const copied = () => page.locator("textarea").inputValue();
    const pdn = await until(copied);
    assert.ok(pdn.replaceAll(/\s+/g, " ").includes("1. 11-15 22-17!? {the dyke {} (1... 23-19) *"), pdn);
    await desk.press("Delete");
    await until(desk.moves, ["11-15", "23-19"]);
    await desk.keys("u");
    await until(desk.moves, tree);
    await desk.keys("r");
    await until(desk.moves, ["11-15", "23-19"]);
    await desk.load(pdn);
    await until(desk.moves, tree);
    await until(() => desk.text(".moves .comment"), "the dyke {");
    const [download] = await Promise.all([page.waitForEvent("download"), desk.press("Save as a file")]);
    assert.match(download.suggestedFilename(), /\.pdn$/);
    const file = await download.path();
    await desk.begin("english");
    await page.locator("input[type=file]").setInputFiles(file);
    await until(desk.moves, tree);
    await desk.press("Copy link");
    const link = await until(copied, (text) => text.startsWith("http"));
    const other = await open(t, url, { hash: new URL(link).hash });
    await until(other.moves, tree);
    assert.match(other.hash(), /^#\/game\//);
    // The moves alone are also a game.
    await other.go(`#/open/english?${new URLSearchParams({ m: "28x19 23x32", f: "W:W27,28:B14,23,24", n: "Old" })}`);
    await until(other.moves, ["28x19", "23x32"]);
    // Playing on from an earlier position starts another game, against any player.
    const before = desk.hash();
    await desk.look("11-15");
    await desk.press("Play from here");
    await desk.seat("second", "random");
    await desk.press("Start");
    await until(desk.plies, 2);
    await until(desk.moves, (moves) => moves.length === 2 && moves[0] === "11-15");
    await desk.go(before);
    await until(desk.moves, tree);
  });

  on("positions, games of others, mistakes, every way to enter a move", url, async (desk) => {
    const { page } = desk;
    await desk.begin("english");
    await desk.unfold("Save, open, share");
    await desk.load("W:W27,28:B14,23,24");
    await until(() => desk.squares("can move"), [27, 28]);
    await desk.load("1. 11-15 23-19 2. 99-1");
    await until(() => desk.text(".exchange [role=alert]"), (text) => text.includes("ply 3"));
    await desk.load("1. 11-15 23-19 2. 8-11 *");
    await until(desk.plies, 3);
    await desk.load('[White "Dan"] 1. 99-1 * [White "Ann"] 1. 11-15 * [White "Cleo"] 1. 12-16 24-19 *');
    await until(desk.plies, 1);
    await page.locator("[name=of-file]").selectOption("2");
    await until(desk.plies, 2);
    await until(() => desk.text("[name=of-file] :checked"), (text) => text.includes("3. Cleo"));
    await desk.load("1. 11-15 23-19 2. 8-11 *");
    await until(desk.plies, 3);
    await until(() => desk.count("[name=of-file]"), 0);
    const isElsewhere = () => page.locator("button:text-is('Back to the game')").isVisible();
    for (const [back, forward] of [["[", "]"], ["ArrowLeft", "ArrowRight"], ["Home", "End"]]) {
      await desk.keys(back);
      await until(isElsewhere, true);
      await until(() => desk.text(".status"), (text) => text.startsWith("After move "));
      await desk.keys(forward);
      await until(isElsewhere, false);
    }
    await page.locator(".board").hover();
    await page.mouse.wheel(0, -100);
    await until(isElsewhere, true);
    await page.mouse.wheel(0, 100);
    await until(isElsewhere, false);
    // A touchpad sends many small turns: together they are one step.
    for (let turn = 0; turn < 8; turn += 1) await page.mouse.wheel(0, -4);
    await until(() => desk.text(".moves [aria-current]"), "23-19");
    await desk.keys("End");
    await until(isElsewhere, false);
    // A second finger next to the one that carries a piece does not end its way.
    await desk.settle();
    const [from, to] = await desk.page.evaluate(() => {
      const middle = (number) => {
        const { x, y, width, height } = document.querySelector(`[data-square="${number}"]`).getBoundingClientRect();
        return { clientX: x + width / 2, clientY: y + height / 2 };
      };
      const touch = (kind, pointerId, place) => document.elementFromPoint(place.clientX, place.clientY).dispatchEvent(new PointerEvent(kind, { bubbles: true, pointerId, button: 0, ...place }));
      const [from, to] = document.querySelectorAll(".hit.can");
      window.touch = (kind, id, number) => touch(kind, id, middle(number));
      return [Number(from.dataset.square), Number(to.dataset.square)];
    });
    const touch = (...how) => page.evaluate((how) => window.touch(...how), how);
    const piece = () => page.locator(`.pieces [data-at="${from}"]`).getAttribute("transform");
    await touch("pointerdown", 2, from);
    await touch("pointermove", 2, to);
    assert.match(await piece(), /scale/);
    await touch("pointerdown", 3, to);
    await touch("pointerup", 3, to);
    await touch("pointermove", 2, to);
    assert.match(await piece(), /scale/, "the piece is still carried");
    await touch("pointerup", 2, from);
    assert.doesNotMatch(await piece(), /scale/);
    await desk.keys("Escape", "f");
    assert.equal(await desk.square(1).evaluate((hit) => hit.y.baseVal.value), 700, "square 1 is below");
    // A double capture, entered by its end, then square by square.
    await desk.load("W:W27,28:B14,23,24");
    await until(() => desk.squares("can move"), [27, 28]);
    await desk.enter(27);
    await until(async () => (await desk.squares("can be moved to")).sort(), [18, 20, 9]);
    await desk.enter(9);
    await until(desk.moves, ["27x9"]);
    const back = async () => { await desk.keys("u"); await until(desk.plies, 0); };
    await back();
    await desk.keys("e");
    await until(desk.plies, 1);
    await back();
    await desk.enter(27, 18, 9);
    await until(desk.plies, 1);
    await back();
    await desk.square(28).dragTo(desk.square(19));
    await until(desk.moves, ["28x19"]);
    await back();
    const typed = page.locator("[name=move]");
    await desk.keys("m");
    await page.keyboard.type("28-1");
    await page.keyboard.press("Enter");
    await until(() => desk.text(".hint"), "28-1 is not legal here: 27x9, 27x20, 28x19.");
    await typed.fill("28 19");
    await page.keyboard.press("Enter");
    await until(desk.moves, ["28x19"]);
    // The right button draws an arrow or a circle, and erases it.
    const shapes = () => desk.count(".shapes > *");
    const draw = async (from, to) => {
      await desk.square(from).hover();
      await page.mouse.down({ button: "right" });
      await desk.square(to).hover();
      await page.mouse.up({ button: "right" });
    };
    await draw(10, 15);
    await draw(20, 20);
    await until(shapes, 2);
    await page.reload();
    await until(shapes, 2);
    await draw(10, 15);
    await until(shapes, 1);
  });

  on("clocks: by the game, by the move, by so many moves; the lot", url, async (desk) => {
    const { page } = desk;
    // Time only advances when the test says so.
    await page.clock.install({ time: 0 });
    await desk.go("#/play");
    await page.clock.pauseAt(60_000);
    const clock = (color) => page.locator(`.clock[data-color="${color}"]`).textContent();
    const clocks = async () => [await clock("black"), await clock("white")];
    const loses = async (color) => {
      await until(desk.state, ({ turn }) => turn === color);
      await page.clock.fastForward("15:00");
      await until(() => desk.text(".status"), (text) => text.includes(`${color === "white" ? "Black" : "White"} wins (time)`));
      await until(() => desk.text(".why"), (text) => text.includes("time ran out"));
    };
    const move = async (plies) => {
      for (let ply = 0; ply < plies; ply += 1) {
        const before = await desk.plies();
        await desk.move();
        await until(desk.plies, before + 1);
        // No clock runs before the server has replied.
        await desk.settle();
      }
    };
    await desk.begin("english", "human", "human", "1+2");
    await until(clocks, ["1:02", "1:02"]);
    await move(3);
    await until(() => clock("black"), "1:06");
    await loses("white");
    await desk.begin("english", "human", "human", "move:300");
    await move(1);
    await page.clock.fastForward("04:00");
    await move(1);
    await until(() => clock("white"), "5:00");
    await loses("black");
    await desk.begin("english", "human", "human", "period:12");
    await move(23);
    await page.clock.fastForward("10:00");
    await move(1);
    await until(clocks, ["30:00", "20:00"]);
    await desk.press("New game");
    await desk.press("Draw lots");
    await until(() => desk.text(".lot"), (text) => /^The lot: sides (stay as they are|are swapped)\.$/.test(text));
    // The check box under the clock is a small one, next to its text.
    const { width, height } = await page.locator("[name=ponder]").boundingBox();
    assert.ok(width < 24 && height < 24, `${width} x ${height}`);
  });

  on("an engine thinks in the user's time", url, async (desk) => {
    const searches = [];
    for (const event of ["request", "requestfailed"]) {
      desk.page.on(event, (request) => {
        if (request.url().endsWith("/api/think")) searches.push(`${event} ${request.postDataJSON().ponder ? "ponder" : "move"}`);
      });
    }
    let last = null;
    desk.page.on("response", (response) => {
      if (response.url().endsWith("/api/think")) last = response.request().postDataJSON().ponder ? response : null;
    });
    const move = async (plies, events) => {
      await desk.move();
      await desk.wait(plies);
      await until(() => searches, events);
      searches.length = 0;
    };
    await desk.begin("english", "human", "run:small", "1+2");
    await move(2, ["request move", "request ponder"]);
    await move(4, ["requestfailed ponder", "request move", "request ponder"]);
    // An analysis takes the place of the engine.
    for (const events of [["requestfailed ponder", "request move"], ["requestfailed move", "request ponder"]]) {
      await desk.keys("a");
      await until(() => searches.toSorted(), events.toSorted());
      searches.length = 0;
    }
    await until(() => last);
    await desk.press("Resign");
    // A server that is busy with searches that have just been stopped refuses to ponder.
    await until(() => searches, last.ok() ? ["requestfailed ponder"] : []);
  });

  on("engine against engine, and draws by agreement", url, async (desk) => {
    await desk.begin("thai", "random", "random");
    // No choice of the pace is cut off: a select that may be as wide as it likes is not wider.
    const [shown, needed] = await desk.page.locator("[name=pace]").evaluate((list) => {
      const widthOf = (style) => (Object.assign(list.style, style), list.getBoundingClientRect().width);
      return [widthOf({}), widthOf({ width: "max-content", maxWidth: "none", flex: "none" })];
    });
    assert.ok(shown >= needed - 1, `${shown} of ${needed} px`);
    await desk.choose("pace", 1000);
    await until(desk.plies);
    await desk.press("Pause");
    await until(() => desk.text(".status"), (text) => text.startsWith("Paused"));
    const plies = await desk.plies();
    await desk.press("Step");
    await until(desk.plies, plies + 1);
    assert.equal((await desk.state()).status, "ongoing", "nobody thinks");
    await desk.begin("thai");
    await desk.press("Offer draw");
    await desk.press("Accept");
    await until(() => desk.text(".status"), (text) => text.startsWith("Draw (agreement)"));
    await desk.keys("u");
    await until(desk.state, ({ status }) => status === "ongoing");
    await desk.begin("thai", "human", "random");
    await desk.press("Offer draw");
    await until(() => desk.text(".hint[role=status]"), "Random mover declines the draw.");
    await desk.press("Resign");
    await until(() => desk.text(".status"), (text) => text.includes("wins (resignation)"));
    // A rematch changes sides, so the engine moves first, and is a game of its own.
    const { game: ended } = await desk.state();
    await desk.press("Rematch");
    await until(desk.state, ({ game, plies }) => game !== ended && plies === "1");
    assert.equal((await desk.state()).status, "ongoing");
  });

  on("players by run, by what is searched for, and of a stated strength", url, async (desk) => {
    const { page } = desk;
    const dialog = page.getByRole("dialog");
    const groups = () => dialog.locator("[name=second] optgroup").evaluateAll((found) => found.map(({ label, children }) => [label, [...children].map(({ text }) => text)]));
    await desk.press("New game");
    await desk.chooseVariant("english");
    await until(groups, (found) => found.length > 3);
    await dialog.locator("[name=player-search]").fill("run small");
    // The chosen player stays in the list: the dialog shows the players that will play.
    const chosen = () => dialog.locator("[name=second]").inputValue();
    await until(chosen, "ab:bundled");
    const found = await until(groups, (groups) => groups.length === 2);
    assert.deepEqual(found[0], ["Comes with the program", ["Alpha-beta search"]]);
    const [name, players] = found[1];
    assert.equal(name, "Run small");
    assert.ok(players.length >= 3 && players.every((text) => text.startsWith("small, ")), players);
    const ratings = players.map((text) => Number(/, (-?\d+) ±\d+ Elo$/.exec(text)?.[1] ?? -Infinity));
    assert.deepEqual(ratings, [...ratings].sort((a, b) => b - a), "the rated ones first");
    assert.ok(ratings[0] > -Infinity, players);
    await dialog.locator("[name=player-search]").fill("nobody has this name");
    await until(chosen, "ab:bundled");
    await dialog.locator("[name=player-search]").fill("");
    await desk.seat("second", "bundled:english,elo=1200");
    await dialog.locator("[name=player-search]").press("Enter");
    await until(() => desk.texts(".who"), ["Bundled network, 1200 Elo", "You"]);
    await desk.move();
    await desk.wait(2);
  });

  on("sound, the order of the focus, a game by keys alone", url, async (desk) => {
    const { page } = desk;
    await desk.begin("thai", "human", "random");
    await desk.go("#/play");
    await until(() => desk.squares("can move"), (found) => found.length);
    const stops = [];
    for (let stop = 0; stop < 11; stop += 1) {
      await desk.keys("Tab");
      stops.push(await page.evaluate(() => document.activeElement.ariaLabel ?? document.activeElement.textContent));
    }
    assert.deepEqual(stops.slice(0, 8), ["Skip to the content", "Crownhead", "Play", "Games", "Rules", "Puzzles", "Runs", "Change the color scheme"]);
    assert.match(stops[8], /^square /);
    assert.deepEqual(stops.slice(9), ["Thai", "New game"], "the board is one stop");
    await page.evaluate(() => {
      window.sounds = 0;
      const start = OscillatorNode.prototype.start;
      OscillatorNode.prototype.start = function (...times) { window.sounds += 1; return start.apply(this, times); };
    });
    const sounds = () => page.evaluate(() => window.sounds);
    await desk.move(desk.pressing);
    await desk.wait(2);
    assert.equal(await sounds(), 0, "off by default");
    await desk.press("Sound");
    await until(sounds, 1);
    while (await desk.isToMove()) await desk.move(desk.pressing);
    assert.ok((await sounds()) > 10);
    await until(async () => (await desk.text(".why")).length > 10);
  });

  on("the editor", url, async (desk) => {
    const { page } = desk;
    await desk.go("#/editor/english");
    const problem = (part) => until(() => desk.text("[role=alert]"), (text) => text.includes(part));
    await problem("Legal; Black has 7 moves");
    await desk.press("Empty board");
    await problem("over here");
    await desk.press("Undo");
    await problem("Legal; Black has 7 moves");
    await desk.press("Empty board");
    await page.locator("[data-piece=w]").click();
    await desk.enter(3);
    await problem("last row");
    assert.ok(await page.locator("button:text-is('Play from here')").isDisabled());
    await desk.enter(3, 22);
    await page.locator("[data-piece=b]").click();
    await desk.enter(17);
    await desk.square(17).dragTo(desk.square(18));
    await desk.choose("turn", "W");
    await problem("Legal; White has 1 move.");
    // The position survives a reload, but not a new visit of the address.
    await page.reload();
    await problem("Legal; White has 1 move.");
    const address = page.url();
    await page.evaluate(() => (location.hash = "#/rules/english"));
    await page.locator(".point").first().waitFor();
    await page.evaluate((address) => (location.href = address), address);
    await problem("Legal; Black has 7 moves");
    // The first choice of a game is slower than the second.
    await page.route("**/api/game", async (route) => {
      if (route.request().postDataJSON().variant === "thai") await rest(1000);
      await route.continue();
    });
    await desk.choose("variant", "thai");
    await desk.choose("variant", "frisian");
    await until(() => page.locator("[name=fen]").inputValue(), (fen) => fen.includes("W31"));
    await rest(1500);
    assert.equal(await desk.count(".hit"), 50);
    assert.match(await page.locator("[name=fen]").inputValue(), /W31/);
    await page.unroute("**/api/game");
    await page.goBack();
    await page.goBack();
    await problem("Legal; White has 1 move.");
    // A change has to be judged before it can be played.
    await page.route("**/api/game", async (route) => { await rest(1000); await route.continue(); });
    await desk.choose("turn", "B");
    assert.ok(await page.locator("button:text-is('Play from here')").isDisabled());
    await page.unroute("**/api/game");
    await desk.choose("turn", "W");
    await problem("Legal; White has 1 move.");
    await desk.press("Play from here");
    await desk.seat("first", "human");
    await desk.seat("second", "human");
    await desk.press("Start");
    await until(() => desk.squares("can move"), [22]);
  }, { hash: "#/editor/english" });

  on("the rules of each game, with examples to play", url, async (desk) => {
    await desk.go("#/rules/english");
    const names = await until(() => desk.texts(".pills a"), (found) => found.length >= 8);
    for (const name of names) {
      await desk.go(`#/rules/${name.toLowerCase()}`);
      await desk.page.locator(".point button").first().waitFor();
      // Where the first king wins, none ever moves.
      const hasKings = name !== "Breakthrough";
      assert.ok((await desk.count(".two li")) >= (hasKings ? 3 : 1), name);
      assert.match(await desk.text(".basics"), hasKings ? /A man moves .*A king moves .*You win when/s : /A man moves .*You win when/s, name);
    }
    await desk.page.locator(".point button").first().click();
    await until(desk.hash, (hash) => hash.startsWith("#/game/"));
    await until(() => desk.squares("can move"), (found) => found.length);
  });
}

const PUZZLES = { format: "crownhead puzzles", variant: "english", puzzles: [
  { fen: "W:W27,28:B14,23,24", goal: "win", solution: ["27x9"], simulations: 4, source: [1, 0, 10] },
  { fen: "W:W32,28:B1,5", goal: "draw", solution: ["28-24"], simulations: null, source: [1, 0, 20] },
] };

function checkPuzzles(url) {
  test("puzzles of a file are solved, by level", LIMIT, async (t) => {
    const file = join(TEMPORARY, "puzzles.json");
    writeFileSync(file, JSON.stringify(PUZZLES));
    const url = await serve("--puzzles", file);
    const desk = await open(t, url, { hash: "#/puzzles" });
    const note = (part) => until(() => desk.text(".hint"), (text) => text.includes(part));
    await until(() => desk.text(".status"), "White to move and win");
    await until(() => desk.squares("can move"), [27, 28]);
    await desk.enter(28, 19);
    await note("28x19 does not win. Try another move.");
    await desk.enter(27, 9);
    await note("Right: 27x9. Easy: the network finds it with 4 simulations.");
    await until(() => desk.text(".card .note"), (text) => text.includes("English: 1 of 2 puzzles solved"));
    await desk.press("Next puzzle");
    await until(() => desk.text(".status"), "White to move and draw");
    await desk.press("Show the solution");
    await note("Solution: 28-24. Very hard: the network did not find it.");
    await desk.choose("level", 0);
    await until(() => desk.text(".status"), "White to move and win");
    await desk.page.reload();
    await until(() => desk.text(".status"), "White to move and draw");
    await desk.press("Continue on the board");
    await until(desk.hash, (hash) => hash.startsWith("#/game/"));
    await until(() => desk.squares("can move"), [28, 32]);
  });

  on("without a file the page of puzzles says how to make one, and opens one", url, async (desk) => {
    await desk.go("#/puzzles");
    await until(() => desk.text("pre"), (text) => text.startsWith("crownhead puzzles RUN"));
    await desk.page.locator("input[type=file]").setInputFiles({ name: "x.json", mimeType: "application/json", buffer: Buffer.from("{}") });
    await until(() => desk.text(".hint"), "This is not a file of crownhead puzzles.");
    await desk.page.locator("input[type=file]").setInputFiles({ name: "p.json", mimeType: "application/json", buffer: Buffer.from(JSON.stringify(PUZZLES)) });
    await until(() => desk.text(".status"), "White to move and win");
    await desk.page.context().setOffline(true);
    await desk.press("Next puzzle");
    await until(() => desk.text(".hint"), (text) => text.startsWith("No connection"));
    await desk.page.context().setOffline(false);
    await desk.press("Show the solution");
    await until(() => desk.text(".status"), "White to move and draw");
  });
}

/** The openings of a book, of own games and of a file. */
function checkOpenings() {
  test("how games continued, in a book, in own games and in a file", { timeout: 120_000 }, async (t) => {
    const [pdn, book] = [join(TEMPORARY, "openings.pdn"), join(TEMPORARY, "english.book")];
    const game = (moves, result) => `[GameType "21"]\n[Result "${result}"]\n\n${moves} ${result}\n\n`;
    const text = game("1. 11-15 23-19 2. 8-11", "1-0") + game("1. 11-15 24-20", "1/2-1/2") + game("1. 9-14 23-19", "0-1");
    writeFileSync(pdn, text);
    execFileSync(CROWNHEAD, ["book", "build", pdn, "--to", book, "--min-games", "1"], { stdio: "ignore" });
    const url = await serve("--book", book);
    const desk = await open(t, url);
    const rows = () => desk.page.locator(".openings tbody tr").evaluateAll((rows) => rows.map((row) => [...row.cells].map((cell) => cell.innerText.trim())));
    const share = (percent) => `${percent}\u2009%`;
    const note = (part) => until(() => desk.text(".openings .note"), (said) => said.includes(part));
    await desk.begin("english");
    await desk.keys("o");
    await until(rows, [["11-15", "2", "", share(25), "–"], ["9-14", "1", "", share(100), "–"]]);
    await note("english.book · 3 games from here");
    // A move is played with the keys, and the engine has an opinion of those that are left.
    await desk.page.locator('.openings button:text-is("11-15")').press("Enter");
    await until(rows, (found) => found.map(([move]) => move).join() === "24-20,23-19");
    await desk.choose("lines", 5);
    await desk.keys("a");
    await until(rows, (found) => found.some(([, , , , opinion]) => opinion.endsWith("%")));
    await desk.keys("a");
    await desk.choose("openings", "games");
    await until(rows, []);
    await desk.enter(23, 19);
    await until(desk.moves, ["11-15", "23-19"]);
    await desk.begin("english");
    await until(rows, (found) => found.length === 1 && found[0][0] === "11-15" && found[0][1] === "1");
    // Another game has no book.
    await desk.choose("openings", "book");
    await desk.begin("frisian");
    await note("No book of this game is open");
    await desk.page.locator(".exchange input[type=file]").setInputFiles({ name: "openings.pdn", mimeType: "text/plain", buffer: Buffer.from(text) });
    await desk.page.locator('.openings option[value="file"]').waitFor({ state: "attached" });
    await desk.choose("openings", "file");
    await desk.keys("Escape");
    await until(rows, []);
    await desk.page.locator(".steps button").first().click();
    await until(rows, (found) => found.map(([move, games]) => `${move} ${games}`).join() === "11-15 2,9-14 1");
    await desk.page.setViewportSize({ width: 360, height: 740 });
    assert.ok(await desk.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "it fits on a phone");
  });
}

function checkLanguages(url) {
  on("the page in every language, which is loaded when it is chosen", url, async (desk) => {
    const loaded = [];
    desk.page.on("request", (request) => request.url().includes("/words-") && loaded.push(new URL(request.url()).pathname));
    await desk.go("#/rules/english");
    await until(() => desk.text("nav"), (text) => text.includes("Rules"));
    assert.deepEqual(loaded, ["/assets/words-en.js"]);
    const seen = new Set();
    for (const code of ["nl", "ru", "th", "en"]) {
      await desk.page.locator("#language").selectOption(code);
      // The page is loaded again; its views have a `nav` of their own.
      await desk.page.locator(`html[lang="${code}"] header nav`).waitFor();
      const links = await desk.text("header nav");
      assert.ok(!seen.has(links), `${code}: ${links}`);
      seen.add(links);
      await desk.go("#/play");
      await until(desk.state, ({ phase }) => phase);
      const [content, window] = await desk.page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
      assert.ok(content <= window, `${code}: ${content} of ${window} pixels`);
      assert.doesNotMatch(await desk.page.locator("main").innerText(), /NaN|undefined/);
    }
  }, { viewport: { width: 360, height: 740 } });
}

/** The bytes that a first visit loads, without engines, in kilobytes. */
const FIRST_LOAD_KB = 300;

function checkSize(name, url) {
  test(`${name} loads at most ${FIRST_LOAD_KB} kB to show the board`, LIMIT, async (t) => {
    const { page } = await open(t, await url());
    await page.locator(".hit.can").first().waitFor();
    const loaded = await page.evaluate(() => performance.getEntries().filter(({ name, encodedBodySize }) => encodedBodySize && !/\.wasm$|\/(agents|networks)\//.test(name)).map(({ name, encodedBodySize }) => [name, encodedBodySize]));
    const bytes = loaded.reduce((sum, [, size]) => sum + size, 0);
    t.diagnostic(`${bytes} bytes`);
    assert.ok(loaded.length > 20 && bytes <= 1000 * FIRST_LOAD_KB, `${bytes} bytes: ${loaded.join(" ")}`);
  });
}

/** What once lost moves, stopped engines or showed what was not so. */
function checkFaults(url) {
  test("two tabs with one game lose no move", LIMIT, async (t) => {
    const desk = await open(t, url);
    await desk.begin("english");
    await desk.move();
    await until(desk.plies, 1);
    const page = await desk.page.context().newPage();
    const other = new Desk(page, url);
    await other.go(desk.hash());
    await until(other.plies, 1);
    for (let plies = 2; plies <= 5; plies += 1) {
      await desk.move();
      await until(desk.plies, plies);
    }
    await until(other.plies, 5);
    const moves = await desk.moves();
    await desk.page.close();
    await page.goto("about:blank");
    await other.go("#/play");
    await until(other.moves, moves);
    await page.close();
  });

  on("random actions in two tabs", url, async (desk) => {
    const other = new Desk(await desk.page.context().newPage(), url);
    await desk.begin("english", "human", "random");
    await other.go(desk.hash());
    await until(other.state, ({ phase }) => phase);
    const random = randomness(11);
    const below = (n) => Math.floor(random() * n);
    for (let action = 0; action < 60; action += 1) {
      const one = [desk, other][below(2)];
      const key = ["", "", "", "u", "r", "e", "ArrowLeft", "End", "Home", "reload"][below(10)];
      if (key === "reload") await one.page.reload();
      else if (key) await one.keys(key);
      else {
        const [square] = await one.squares("can move");
        if (square) await one.square(square).click();
        const [target] = await one.squares("can be moved to");
        if (target) await one.square(target).click();
      }
    }
    // Both tabs settle with the same game, and the game continues.
    const quiet = async () => {
      await rest(300);
      const states = await Promise.all([desk, other].map(async (one) => ({ ...(await one.state()), hash: one.hash() })));
      return states.every(({ phase }) => ["human", "following", "paused", "over"].includes(phase)) && states;
    };
    const [mine, theirs] = await until(quiet);
    if (mine.hash === theirs.hash) assert.equal(mine.plies, theirs.plies);
    for (const one of [desk, other]) {
      const [hash, plies] = [one.hash(), (await one.state()).plies];
      await one.go(hash);
      await until(async () => (await one.state()).plies, plies);
    }
    await other.page.close();
  });

  on("a move is kept by a page that is loaded again at once", url, async (desk) => {
    await desk.begin("english");
    await desk.enter(11);
    // The storage is as slow as can be: another transaction is before every other one.
    await desk.page.evaluate(() => new Promise((resolve) => {
      indexedDB.open("crownhead").onsuccess = ({ target }) => {
        const store = target.result.transaction("games", "readwrite").objectStore("games");
        const again = () => { store.get("").onsuccess = again; };
        again();
        resolve();
      };
    }));
    await desk.square(15).click();
    await until(desk.plies, 1);
    await desk.page.reload();
    await until(() => desk.moves().catch(() => []), ["11-15"]);
  });

  on("Back closes the dialog of a new game", url, async (desk) => {
    await desk.begin("english");
    await desk.move();
    await until(desk.plies, 1);
    await desk.go("#/games");
    await desk.page.locator("tbody a").first().click();
    await until(desk.plies, 1);
    await desk.press("New game");
    await desk.page.getByRole("dialog").waitFor();
    await desk.page.goBack();
    await until(() => desk.count("dialog"), 0);
    await desk.page.locator("h1:text-is('Games')").waitFor();
  });

  on("keys with nothing to do leave a slow engine alone", url, async (desk) => {
    let release;
    const held = new Promise((resolve) => (release = resolve));
    await desk.page.route("**/api/think", async (route) => { await held; await route.continue(); });
    await desk.begin("english", "human", "random", "1+2");
    await desk.move();
    await until(desk.state, ({ phase }) => phase === "thinking");
    await desk.keys("r");
    release();
    await until(desk.plies, 2);
    await until(desk.state, ({ phase }) => phase === "human");
  });

  on("a comment stays with the move that it was begun for, and no letter is lost", url, async (desk) => {
    let release;
    const held = new Promise((resolve) => (release = resolve));
    await desk.page.route("**/api/think", async (route) => { await held; await route.continue(); });
    await desk.begin("english", "human", "random");
    await desk.unfold("Comment and mark");
    await desk.move();
    await until(desk.state, ({ phase }) => phase === "thinking");
    const field = desk.page.locator("[name=comment]");
    await field.click();
    await desk.page.keyboard.type("my");
    release();
    await until(desk.plies, 2);
    await desk.page.keyboard.type(" move");
    const [mine] = await desk.moves();
    await desk.page.locator(".moves button").first().click();
    await until(() => desk.text(".moves [aria-current]"), mine);
    assert.equal(await field.inputValue(), "my move");
    await field.press("End");
    await desk.page.keyboard.type("!");
    await desk.page.reload();
    await until(() => desk.text(".moves .comment").catch(() => null), "my move!");
    await until(() => desk.page.locator(".moves > *").evaluateAll((found) => found[1]?.className), "comment");
  });

  on("moves of an analysis can be pressed, and it ends with the view", url, async (desk) => {
    const live = new Set();
    desk.page.on("request", (request) => request.url().endsWith("/api/think") && live.add(request));
    for (const end of ["requestfailed", "requestfinished"]) desk.page.on(end, (request) => live.delete(request));
    await desk.begin("english");
    await desk.choose("analyst", "ab:bundled");
    await desk.keys("a");
    await until(() => desk.count(".lines button"));
    // In one step, since each report replaces the moves.
    const isFocused = () => desk.page.evaluate(async () => {
      document.querySelector(".lines button").focus();
      await new Promise((resolve) => new MutationObserver(resolve).observe(document.querySelector(".engine"), { childList: true }));
      return document.activeElement.closest(".lines") !== null;
    });
    assert.ok(await isFocused(), "the focus stays in the lines");
    const { x, y } = await desk.page.evaluate(() => {
      const { x, y, width, height } = document.querySelector(".lines button").getBoundingClientRect();
      return { x: x + width / 2, y: y + height / 2 };
    });
    await desk.page.mouse.move(x, y);
    await desk.page.mouse.down();
    await rest(1000);
    await desk.page.mouse.up();
    await until(async () => (await desk.moves()).length, 1);
    // After the analysis of a whole game the analysis of the board would begin again.
    await desk.unfold("Course of the game");
    await desk.choose("thoroughness", 5);
    await desk.press("Analyze the whole game");
    await until(() => desk.text(".progress"));
    await desk.page.locator("nav a[href='#/games']").click();
    await desk.page.locator("h1:text-is('Games')").waitFor();
    await rest(500);
    await until(() => live.size, 0);
  });

  on("undo keeps what an analysis of the whole game finds", url, async (desk) => {
    await desk.begin("english");
    await desk.unfold("Comment and mark");
    await desk.unfold("Course of the game");
    for (const [plies, squares] of [[11, 15], [23, 19]].entries()) {
      await desk.enter(...squares);
      await until(desk.plies, plies + 1);
    }
    await desk.page.locator("[data-glyph='!?']").click();
    await desk.choose("analyst", "ab:bundled");
    await desk.press("Analyze the whole game");
    await until(() => desk.text(".progress"));
    await desk.keys("u");
    await until(() => desk.text(".progress"), "");
    await until(() => desk.count(".tally table"), 1);
  });

  on("of two games of a file the one that was chosen last is opened", url, async (desk) => {
    await desk.begin("english");
    await desk.unfold("Save, open, share");
    await desk.load(["11-15", "12-16", "9-14"].map((move, index) => `[White "${index}"]\n\n1. ${move} *\n`).join("\n"));
    await until(desk.moves, ["11-15"]);
    const answered = [];
    await desk.page.route("**/api/pdn/read", async (route) => {
      const { game } = route.request().postDataJSON();
      if (game === 1) await until(() => answered.length);
      await route.continue();
    });
    desk.page.on("response", (response) => response.url().endsWith("/api/pdn/read") && answered.push(response.url()));
    await desk.choose("of-file", 1);
    await desk.choose("of-file", 2);
    await until(() => answered.length, 2);
    await rest(500);
    assert.deepEqual(await desk.moves(), ["9-14"]);
  });

  on("a large file that begins with unreadable games has the others", url, async (desk) => {
    await desk.begin("english");
    await desk.unfold("Save, open, share");
    const games = (count, move) => `[White "Ann"]\n[GameType "21"]\n\n1. ${move} {${"a word ".repeat(40)}} *\n\n`.repeat(count);
    const file = { name: "many.pdn", mimeType: "text/plain", buffer: Buffer.from(games(900, "99-98") + games(10, "11-15")) };
    await desk.page.locator(".exchange input[type=file]").setInputFiles(file);
    await until(desk.moves, ["11-15"]);
    await until(() => desk.count("[name=of-file] option"), (count) => count >= 10);
  });

  on("what a lost connection stops is said in the user's language", url, async (desk) => {
    await desk.page.locator("#language").selectOption("nl");
    await desk.page.locator('html[lang="nl"]').waitFor();
    await until(desk.state, ({ phase }) => phase && phase !== "loading");
    await desk.page.evaluate(() => {
      const { fetch } = window;
      window.fetch = async (path, options) => {
        const response = await fetch(path, options);
        if (path === "/api/think") Object.defineProperty(response, "body", { value: new ReadableStream({ start: (stream) => stream.error(new TypeError("network error")) }) });
        return response;
      };
    });
    await desk.keys("a");
    await until(() => desk.text(".hint"), (text) => text.startsWith("Geen verbinding"));
  });

  on("without cookies the page plays all the same", url, async (desk) => {
    await desk.page.addInitScript(() => {
      if (location.protocol === "about:") return;
      const forbid = () => { throw new DOMException("forbidden", "SecurityError"); };
      for (const name of ["localStorage", "sessionStorage", "BroadcastChannel"]) Object.defineProperty(window, name, { get: forbid });
      ServiceWorkerContainer.prototype.register = () => Promise.reject(new DOMException("forbidden", "SecurityError"));
    });
    await desk.go("#/play");
    await desk.begin("english");
    await desk.move();
    await until(desk.plies, 1);
  });

  on("a view that could not be loaded is there when the server is", url, async (desk) => {
    const { page } = desk;
    await desk.go("#/rules/english");
    await page.locator(".pills").waitFor();
    let [isAway, loads] = [true, 0];
    await page.route("**/assets/puzzles.js", (route) => (isAway ? route.abort() : route.continue()));
    page.on("load", () => (loads += 1));
    await page.locator("nav a[href='#/puzzles']").click();
    await until(() => desk.text(".failure"), (text) => text.includes("No connection to the server"));
    isAway = false;
    await desk.press("Try again");
    await page.locator("h1:text-is('Puzzles')").waitFor();
    // Firefox keeps the failure for as long as the page is not loaded again.
    assert.equal(loads, 1);
  }, { serviceWorkers: "block" });

  on("before the first game is there nothing on the page can be pressed", url, async (desk) => {
    const { page } = desk;
    let release;
    const held = new Promise((resolve) => (release = resolve));
    await page.route("**/api/players/**", async (route) => { await held; await route.fallback(); });
    await page.evaluate(() => sessionStorage.clear());
    await desk.go("#/play");
    await page.locator(".play").waitFor();
    const { x, y, width, height } = await page.locator("button:text-is('Resign')").boundingBox();
    await page.mouse.click(x + width / 2, y + height / 2);
    await desk.keys("Tab", "Tab", "u", "r", "e", "a", "ArrowLeft");
    assert.ok(await page.evaluate(() => !document.activeElement.closest(".play")));
    release();
    await until(desk.state, ({ phase }) => phase === "human");
    await page.locator("button:text-is('Resign')").focus();
    assert.equal(await page.evaluate(() => document.activeElement.textContent), "Resign");
  });

  on("a game that becomes another one after it was left does not take the address", url, async (desk) => {
    const { page } = desk;
    await desk.begin("english");
    await desk.enter(11, 15);
    await until(desk.plies, 1);
    const { game } = await desk.state();
    await desk.enter(22);
    // Another tab stores a newer version, and a slow storage holds up this one.
    await page.evaluate((id) => new Promise((resolve) => {
      indexedDB.open("crownhead").onsuccess = ({ target }) => {
        const store = target.result.transaction("games", "readwrite").objectStore("games");
        window.isHeld = true;
        const again = () => { store.get("").onsuccess = () => window.isHeld && again(); };
        store.get(id).onsuccess = ({ target: { result } }) => {
          store.put({ ...result, version: result.version + 5, name: "theirs" });
          again();
          resolve();
        };
      };
    }), game);
    await desk.square(18).click();
    await until(desk.plies, 2);
    await page.locator("nav a[href='#/games']").click();
    await page.locator("h1:text-is('Games')").waitFor();
    await page.evaluate(() => (window.isHeld = false));
    const stored = () => page.evaluate(() => new Promise((resolve) => {
      indexedDB.open("crownhead").onsuccess = ({ target }) => {
        target.result.transaction("games").objectStore("games").getAll().onsuccess = ({ target: { result } }) => resolve(result.map(({ line }) => line.length));
      };
    }));
    await until(stored, (lengths) => lengths.includes(1) && lengths.includes(2));
    assert.equal(desk.hash(), "#/games");
  });

  on("a visit of the board leaves nothing behind", url, async (desk) => {
    const { page } = desk;
    const devtools = await page.context().newCDPSession(page);
    const visit = async () => {
      await page.locator("nav a[href='#/rules']").click();
      await page.locator(".pills").waitFor();
      await page.locator("nav a[href='#/play']").click();
      await until(desk.state, ({ phase }) => phase === "human");
      await devtools.send("HeapProfiler.collectGarbage");
      return (await devtools.send("Memory.getDOMCounters")).jsEventListeners;
    };
    await desk.begin("english");
    await visit();
    const before = await visit();
    for (let count = 0; count < 3; count += 1) await visit();
    const after = await visit();
    assert.ok(after < before + 60, `${before} listeners became ${after}`);
  });

  on("Games has the focus where it was when another tab stores a game", url, async (desk) => {
    await desk.begin("english");
    await desk.move();
    await until(desk.plies, 1);
    const games = new Desk(await desk.page.context().newPage(), url);
    await games.go("#/games");
    const remove = games.page.getByRole("button", { name: "Delete" }).first();
    await remove.focus();
    const old = await remove.elementHandle();
    await desk.move();
    await until(() => old.evaluate((button) => button.isConnected), false);
    assert.match(await games.page.evaluate(() => document.activeElement.ariaLabel), /^Delete/);
    await games.page.close();
  });

  on("while the server is away no clock runs, and no move is lost", url, async (desk) => {
    await desk.begin("english", "human", "random", "1+2");
    await desk.move();
    await desk.wait(2);
    await desk.page.context().setOffline(true);
    await desk.move();
    await until(desk.state, ({ phase, plies }) => phase === "stuck" && plies === "3");
    await until(() => desk.text(".wrong[role=alert]"), (text) => text.startsWith("No connection to the server"));
    const times = () => desk.texts(".clock");
    const before = await times();
    await rest(1500);
    assert.deepEqual(await times(), before);
    await desk.page.context().setOffline(false);
    await desk.press("Try again");
    await until(desk.plies, 4);
    await until(async () => (await desk.moves()).length, 4);
  });

  on("a full storage is said at once, and loses nothing meanwhile", url, async (desk) => {
    const fill = (isFull) => desk.page.evaluate((isFull) => {
      window.put ??= IDBObjectStore.prototype.put;
      IDBObjectStore.prototype.put = isFull ? () => { throw new DOMException("full", "QuotaExceededError"); } : window.put;
    }, isFull);
    await desk.begin("english");
    await fill(true);
    for (const plies of [1, 2]) {
      await desk.move();
      await until(desk.plies, plies);
    }
    await until(() => desk.text(".wrong[role=alert]"), (text) => text.startsWith("The storage of this browser is full"));
    const moves = await desk.moves();
    await desk.page.locator("nav a[href='#/games']").click();
    await until(() => desk.text(".note.wrong"), (text) => text.startsWith("1 game could not be stored"));
    await desk.page.locator("tbody a").first().click();
    await until(desk.moves, moves);
    await fill(false);
    await desk.move();
    await until(desk.plies, 3);
    await desk.page.reload();
    await until(desk.plies, 3);
  });

  on("a damaged game is set aside, everything else goes on; all games as a file", url, async (desk) => {
    await desk.begin("english");
    await desk.move();
    await until(desk.plies, 1);
    await desk.page.evaluate(() => new Promise((resolve, reject) => {
      const request = indexedDB.open("crownhead");
      request.onerror = reject;
      request.onsuccess = () => {
        const transaction = request.result.transaction("games", "readwrite");
        transaction.objectStore("games").put({ id: "bad", version: 3, changed: 1e15, variant: 5 });
        transaction.oncomplete = resolve;
      };
    }));
    await desk.go("#/play");
    await until(desk.plies, 1);
    await desk.go("#/games");
    await until(() => desk.text(".aside"), (text) => text.startsWith("1 stored game cannot be read and was set aside."));
    assert.equal(await desk.count("tbody tr"), 1);
    const [download] = await Promise.all([desk.page.waitForEvent("download"), desk.press("Export all games")]);
    const file = await download.path();
    await desk.page.getByRole("button", { name: /^Delete .* – / }).click();
    await until(() => desk.count("tbody tr"), 0);
    await desk.page.locator("input[type=file]").setInputFiles(file);
    await until(() => desk.count("tbody tr"), 1);
    await until(() => desk.text(".note[role=status]"), "1 game added, 0 already here.");
  });

  on("collections of any size, with what their tags say", url, async (desk) => {
    await desk.begin("english");
    await desk.unfold("Save, open, share");
    const game = (number) => `[Event "Match"]\n[White "Player ${number}"]\n[Black "Asa Long"]\n[Date "1937.01.02"]\n[Round "${number}"]\n[Result "1-0"]\n\n1. 11-15 {[%clock w0:03:00] ${"a word ".repeat(40)}} 23-19 2. 8-11 1-0\n\n`;
    const text = Array.from({ length: 900 }, (_, index) => game(index + 1)).join("");
    assert.ok(text.length > 300_000);
    await desk.page.locator("input[type=file]").setInputFiles({ name: "many.pdn", mimeType: "text/plain", buffer: Buffer.from(text) });
    await until(desk.moves, ["11-15", "23-19", "8-11"]);
    assert.doesNotMatch(await desk.text(".moves"), /%clock/);
    await desk.press("More games of the file");
    await desk.page.locator("[name=of-file]").selectOption("700");
    await until(() => desk.texts(".who"), (names) => names.includes("Player 701"));
    await desk.press("Copy PDN");
    const pdn = await until(() => desk.page.locator("textarea").inputValue());
    for (const tag of ['[Date "1937.01.02"]', '[Round "701"]', '[Result "1-0"]']) assert.ok(pdn.includes(tag), pdn);
    assert.ok(!pdn.includes("Termination"), pdn);
    // A game that was only looked at is not one of the user's.
    await desk.go("#/games");
    await until(() => desk.text(".card:not([hidden])"), (text) => text.startsWith("No games yet"));
  });

  on("baselines that count pieces say nothing of chances", url, async (desk) => {
    await desk.begin("english", "human", "alphabeta:depth=1");
    await desk.move();
    await desk.wait(2);
    await until(() => desk.page.locator(".value-bar").getAttribute("aria-label"), "no value yet");
  });

  on("a game that no tag names is guessed from the board, or asked for", url, async (desk) => {
    const said = () => desk.text(".exchange [role=alert]");
    const variant = () => desk.text(".status .variant");
    await desk.begin("frisian");
    await desk.unfold("Save, open, share");
    await desk.load("1. 11-15 23-19 2. 8-11 *");
    await until(said, (text) => text.startsWith("No tag says which game this is, and the moves fit several"));
    await desk.choose("which", "english");
    await until(desk.moves, ["11-15", "23-19", "8-11"]);
    await until(variant, "English");
    // Now English is on the board: the same text is read as that, and can be read as another game.
    await desk.load("1. 11-15 23-19 2. 8-11 *");
    await until(said, "No tag says which game this is: read as English.");
    assert.ok((await desk.page.locator("[name=which] option").count()) > 1);
  });

  on("a file with good and bad games, in any encoding", url, async (desk) => {
    await desk.begin("english");
    await desk.unfold("Save, open, share");
    const text = '[White "?"] [GameType "21"]\n1. 11-15 *\n\n[White "Bad"] [GameType "21"]\n1. 11-15 99-1 *\n';
    const name = Buffer.from([0xc8, 0xe2, 0xe0, 0xed, 0xee, 0xe2]);
    const buffer = Buffer.concat([Buffer.from('[White "'), name, Buffer.from(text.slice(text.indexOf('"?"') + 2))]);
    await desk.page.locator(".exchange input[type=file]").setInputFiles({ name: "old.pdn", mimeType: "text/plain", buffer });
    await until(() => desk.texts(".who"), (names) => names.includes("Иванов"));
    await until(() => desk.text(".exchange [role=status]"), (found) => found.startsWith("The file is not UTF-8 and was read as windows-1251."));
    await until(() => desk.text(".faults"), (found) => found.startsWith("1 game with faults") && found.includes("ply 2"));
    await desk.page.locator(".faults summary").click();
    await desk.page.locator(".faults button").click();
    await until(() => desk.texts(".who"), (names) => names.includes("Bad"));
    await until(desk.moves, ["11-15"]);
    await desk.choose("encoding", "windows-1252");
    await until(() => desk.texts(".who"), (names) => names.includes("Èâàíîâ"));
  });

  on("games are found by what their tags say; the status is of the board", url, async (desk) => {
    await desk.begin("english");
    await desk.unfold("Save, open, share");
    await desk.load('[Event "Match"] [White "Asa Long"] [Black "Ben"] [Date "1937.01.02"] 1. 11-15 23-19 2. 8-11 *');
    await until(desk.plies, 3);
    await desk.look("11-15");
    await until(() => desk.text(".status"), (text) => text.startsWith("After move 1: White to move"));
    const movable = await desk.squares("can move");
    const labels = await desk.page.locator(".hit").evaluateAll((hits) => hits.map((hit) => hit.ariaLabel));
    assert.ok(movable.length && movable.every((number) => labels[number - 1].includes("white")), "the men of the side to move are ringed");
    await desk.enter(22, 17);
    await until(desk.moves, (moves) => moves.includes("22-17"));
    await desk.go("#/games");
    const search = desk.page.getByLabel("Search games");
    for (const [words, rows] of [["asa long", 1], ["1937", 1], ["nobody", 0]]) {
      await search.fill(words);
      await until(() => desk.count("tbody tr"), rows);
    }
  });

  on("one forced move has one arrow", url, async (desk) => {
    await desk.begin("english");
    await desk.unfold("Save, open, share");
    await desk.choose("analyst", "ab:bundled");
    await desk.choose("lines", 3);
    await desk.load("W:W22:B17,1,2,3");
    await until(() => desk.squares("can move"), [22]);
    await desk.keys("a");
    await until(() => rows(desk), (found) => found.length);
    assert.equal(await desk.count(".arrow"), 1);
  });

  on("two labels of crossing arrows are both legible", url, async (desk) => {
    const boxes = await desk.page.evaluate(async () => {
      const { Board } = await import("/assets/board.js");
      const { loadVariants } = await import("/assets/api.js");
      const board = new Board({ isPicture: true });
      board.setVariant((await loadVariants()).get("frisian"));
      document.getElementById("main").replaceChildren(board.element);
      // Captures over one man, along both diagonals, the row and the column.
      const shares = [[17, 28], [18, 27], [21, 23], [12, 32]].map(([from, to]) => ({ from, to, share: 0.25 }));
      board.show(".".repeat(50), { shares });
      return [...board.element.querySelectorAll(".share")].map((label) => label.getBoundingClientRect().toJSON());
    });
    assert.equal(boxes.length, 4);
    for (const [index, one] of boxes.entries()) {
      for (const other of boxes.slice(index + 1)) assert.ok(one.right <= other.left || other.right <= one.left || one.bottom <= other.top || other.bottom <= one.top, JSON.stringify([one, other]));
    }
  });

  on("the buttons stay where they are when a game ends", url, async (desk) => {
    const top = () => desk.page.locator("button:text-is('New game')").evaluate((element) => element.getBoundingClientRect().top);
    await desk.begin("english", "human", "random");
    await desk.move();
    await desk.wait(2);
    const before = await top();
    await desk.press("Resign");
    await until(() => desk.text(".why"), (text) => text.length > 10);
    assert.equal(await top(), before);
    await desk.begin("thai", "random", "random");
    await until(desk.plies);
    const watched = await top();
    await desk.choose("pace", 0);
    await until(() => desk.text(".why"), (text) => text.length > 10);
    assert.equal(await top(), watched);
  });

  on("forced colors keep the seats and the men apart", url, async (desk) => {
    await desk.begin("english");
    await desk.page.emulateMedia({ forcedColors: "active" });
    const colors = (selector, what) => desk.page.locator(selector).evaluateAll((found, what) => found.map((element) => getComputedStyle(element)[what]), what);
    const seats = await colors(".seat .disc", "backgroundColor");
    assert.equal(new Set(seats).size, 2, seats.join());
    const men = await colors(".piece .body", "fill");
    assert.equal(new Set(men).size, 2, "white and black");
    await desk.move();
    await until(desk.plies, 1);
  });

  on("an address that cannot be read says which part", url, async (desk) => {
    await desk.go("#/game/%E0%A4%A");
    await until(() => desk.text(".failure"), (text) => text.includes("The address contains %E0%A4%A, which cannot be read."));
    for (const view of ["new", "editor", "rules"]) {
      await desk.go(`#/${view}/nogame`);
      await until(() => desk.text(".failure"), (text) => text.includes("There is no game nogame: choose one of english, "));
    }
  });
}

/** Rows of the analysis: depth, value and moves of each line. */
function rows(desk) {
  return desk.page.locator(".lines li").evaluateAll((lines) =>
    lines.map((line) => ["depth", "worth", "moves-of"].map((part) => line.querySelector(`.${part}`).textContent)));
}

function checkAnalysis(url) {
  on("analysis of any position, hints, a whole game", url, async (desk) => {
    await desk.begin("english");
    await desk.unfold("Save, open, share");
    await desk.choose("analyst", "run:small");
    await desk.choose("lines", 1);
    await desk.keys("a");
    await until(() => desk.count(".policy li"));
    await until(() => desk.count(".arrow"));
    // A forced move has lines too, and so does an earlier position.
    await desk.load("1. 11-15 22-18 *");
    await until(() => desk.squares("can move"), [15]);
    const line = () => desk.texts(".lines .moves-of button");
    await until(line, (moves) => moves[0] === "15x22");
    await desk.look("11-15");
    await until(line, (moves) => moves.length > 1 && moves[0] !== "15x22");
    // A line can be played on the board.
    await desk.page.locator(".lines .moves-of button").nth(1).click();
    const here = () => desk.page.locator(".moves [aria-current]").getAttribute("data-plies");
    await until(here, "3");
    assert.ok((await desk.moves()).length >= 3);
    assert.deepEqual((await desk.moves()).slice(0, 2), ["11-15", "22-18"], "what was played stays the main line");
    const top = () => desk.page.locator("button:text-is('New game')").evaluate((element) => element.getBoundingClientRect().top);
    const before = await top();
    await desk.keys("a");
    await until(() => desk.squares("can move"), (squares) => squares.length > 0);
    await until(async () => (await desk.keys("h"), await rest(1500), desk.text(".hint")), (text) => text.includes("Hint: "));
    assert.equal(await top(), before, "nothing moves when a note appears");
    await desk.choose("analyst", "ab:bundled");
    await desk.load("1. 12-16 24-20 2. 16-19 23x16 *");
    await until(desk.plies, 4);
    await desk.unfold("Course of the game");
    assert.equal(await desk.count(".tally td"), 0, "nobody is blamed before an analysis");
    await desk.press("Analyze the whole game");
    const verdict = async () => [await desk.count('.moves [data-glyph="?"]'), await desk.text(".hint")];
    await until(verdict, ([mistakes]) => mistakes === 1);
    await until(() => desk.texts('.tally td[data-glyph="?"]'), ["0", "1"]);
    await until(() => desk.count(".game-chart .area"), 3);
    await desk.begin("english", "human", "run:small", "1+2");
    await desk.move();
    await desk.wait(2);
    assert.ok((await desk.shift()) < MOST_SHIFT, `${await desk.shift()}`);
  });

  on("the first moves of ordinary openings get no mark", url, async (desk) => {
    await desk.begin("english");
    await desk.unfold("Save, open, share");
    await desk.unfold("Course of the game");
    await desk.choose("analyst", "ab:bundled");
    for (const move of ["9-13", "9-14", "10-14", "10-15", "11-15", "11-16", "12-16"]) {
      await desk.load(`1. ${move} *`);
      await until(desk.moves, [move]);
      await desk.press("Analyze the whole game");
      await until(() => desk.count(".tally td"), (n) => n > 0);
      assert.deepEqual(await desk.moves(), [move]);
    }
  });

  on("one learns from a mistake that an analysis has found", url, async (desk) => {
    await desk.begin("english");
    await desk.unfold("Save, open, share");
    await desk.choose("analyst", "ab:bundled");
    // Any search, however short, sees what this move loses.
    await desk.load("1. 11-15 23-19 2. 9-14 27-23 3. 15-18 22x15 *");
    await until(desk.plies, 6);
    await desk.unfold("Course of the game");
    assert.ok(!(await desk.page.locator("button:text-is('Learn from the mistakes')").isVisible()));
    await desk.press("Analyze the whole game");
    await until(() => desk.count('.moves [data-glyph="?"]'), 1);
    await desk.press("Learn from the mistakes");
    const said = (part) => until(() => desk.text(".hint[role=status]"), (text) => text.includes(part));
    await said("15-18 lost");
    // A square, Escape and a hint leave the buttons.
    await desk.enter(15);
    await desk.keys("Escape", "h");
    await said("Hint");
    await desk.enter(15);
    await said("15-18 lost");
    assert.equal(await desk.count(".hint button"), 3);
    await desk.enter(18);
    await said("15-18 is the move that was played");
    await desk.page.locator(".hint button:text-is('Show the solution')").click();
    await said("Better: ");
    const [best] = (await desk.text(".hint")).split("Better: ")[1].split(" ");
    await desk.enter(...best.split(/[-x]/).map(Number));
    await said(`${best} is good.`);
    assert.equal(await desk.plies(), 6, "the game stays as it was");
    await desk.page.locator(".hint button:text-is('Next')").click();
    await said("No more mistakes");
    await until(() => desk.count(".lesson"), 0);
    await desk.press("Learn from the mistakes");
    await until(() => desk.count(".lesson"), 1);
    await desk.keys("u");
    await until(() => desk.count(".lesson"), 0);
    assert.equal(await desk.count(".hint button"), 0);
  });

  for (const analyst of ["run:small", "ab:bundled"]) {
    on(`one line or several by ${analyst}`, url, async (desk) => {
      await desk.begin("english");
      await desk.choose("analyst", analyst);
      await desk.choose("lines", 1);
      await desk.keys("a");
      await until(() => rows(desk), (found) => found.length === 1);
      let lines;
      for (const n of [5, 2]) {
        await desk.choose("lines", n);
        lines = await until(() => rows(desk), (found) => found.length === n && found[0][1] !== "–");
        for (const [depth, worth, moves] of lines) assert.ok(Number(depth) >= 1 && /^(–|\d+\u2009%)$/.test(worth) && /^\d+-\d+ /.test(moves), lines);
        assert.equal(new Set(lines.map(([, , moves]) => moves.split(" ")[0])).size, n);
      }
      await until(() => desk.text(".search-info"), (text) => / a second/.test(text));
      // After a move the analysis continues with the next position.
      await desk.move();
      const before = lines.map(([, , moves]) => moves.split(" ")[0]);
      await until(() => rows(desk), (found) => found.length === 2 && !found.some(([, , moves]) => before.includes(moves.split(" ")[0])));
    });
  }

  on("a busy server is asked again, and then by a button", url, async (desk) => {
    let refused = 3;
    const refuse = (route) => route.fulfill({ status: 503, json: { error: "no place" } });
    await desk.page.route("**/api/think", (route) => ((refused -= 1) >= 0 ? refuse(route) : route.continue()));
    await desk.begin("english");
    await desk.choose("analyst", "ab:bundled");
    await desk.keys("a");
    await until(() => rows(desk), (found) => found.length);
    await desk.keys("a");
    refused = 1000;
    await desk.move();
    await desk.keys("a");
    await until(() => desk.text(".hint"), (text) => text.includes("No place"));
    refused = 0;
    await desk.press("Try again");
    await until(() => rows(desk), (found) => found.length);
  });

  on("what an endgame database knows", url, checkTruth);
}

/** What an endgame database knows of every move, and of the moves that were played. */
async function checkTruth(desk) {
  await desk.begin("english");
  await desk.unfold("Save, open, share");
  await desk.load("W:WK14,K15:BK28");
  await until(() => desk.squares("can move"), [14, 15]);
  assert.equal(await desk.count(".truths li"), 0, "nobody asked");
  await desk.keys("a");
  const truths = await until(() => desk.texts(".truths li"), (found) => found.length);
  assert.match(truths[0], /^White wins in \d+ plies/);
  const plies = truths.map((text) => Number(/^White wins in (\d+)/.exec(text)?.[1])).filter(Boolean);
  assert.deepEqual(plies, [...plies].sort((a, b) => a - b));
  await desk.page.locator(".truths button").first().click();
  await until(() => desk.texts(".moves .truth"), [`W${plies[0] - 1}`]);
  await desk.keys("a");
  await until(() => desk.count(".moves .truth"), 0);
}

function checkRuns(url) {
  on("runs are compared as they were chosen last, whatever reply comes first", url, async (desk) => {
    let count = 0;
    await desk.page.route("**/api/runs/large", async (route) => {
      count += 1;
      if (count === 1) await rest(1500);
      await route.continue();
    });
    await desk.go("#/runs");
    for (const name of ["large", "small"]) await desk.page.getByLabel(`Compare ${name}`).check();
    await until(() => desk.count(".comparison table"), 1);
    await rest(2000);
    assert.equal(await desk.count(".comparison table"), 1);
    await desk.page.context().setOffline(true);
    await until(() => desk.text(".page > .note"), (text) => text.startsWith("No connection"));
    await desk.page.context().setOffline(false);
    await until(() => desk.text(".page > .note"), "");
  });

  on("a run is listened to again after the server has refused it", url, async (desk) => {
    let count = 0;
    await desk.page.route("**/live", (route) => {
      count += 1;
      return count === 1 ? route.fulfill({ status: 404, json: {} }) : route.continue();
    });
    await desk.go("#/runs/small");
    await until(() => desk.text(".crumbs .note"), (text) => text.includes("retrying"));
    await until(() => desk.text(".crumbs .note"), "");
  });

  on("the table of runs, curves over each other, a run that trains, its games", url, async (desk) => {
    const { page } = desk;
    await desk.go("#/runs");
    await until(() => desk.count("tbody tr"), 2);
    for (const name of ["large", "small"]) await page.getByLabel(`Compare ${name}`).check();
    await until(() => desk.count(".chart"), (n) => n >= 3);
    await until(() => desk.text(".comparison table"), (text) => text.includes("seed"));
    const names = () => page.locator(".chart svg").first().getAttribute("aria-label");
    for (const axis of ["seconds", "games", "samples", "generation"]) {
      await desk.choose("axis", axis);
      await until(names, (label) => label?.includes(` at ${axis} `));
    }
    // The address keeps the comparison.
    await desk.choose("axis", "games");
    assert.equal(desk.hash(), "#/runs?run=large&run=small&axis=games");
    await page.locator("[name=grouped]").check();
    await until(() => page.locator(".chart .key").count(), 0);
    await page.reload();
    await until(names, (label) => label?.includes(" at games "));
    await page.locator("[name=grouped]").uncheck();
    for (const name of ["large", "small"]) await page.getByLabel(`Compare ${name}`).uncheck();
    // The table is read again while the focus is in it.
    await page.locator("th button:text-is('Games')").focus();
    await page.route("**/api/runs", async (route) => {
      const reply = await route.fetch();
      const runs = (await reply.json()).map((run) => ({ ...run, n_models: 77 }));
      await route.fulfill({ json: runs });
    });
    await until(() => desk.texts('[data-label="Networks"]'), ["77", "77"]);
    assert.equal(await page.evaluate(() => document.activeElement.textContent), "Games");
    await page.unroute("**/api/runs");
    await page.getByLabel("Filter runs").fill("seed=1");
    await until(() => desk.count("tbody tr"), 1);
    await page.getByLabel("Filter runs").fill("");
    await desk.press("Games");
    await page.locator("th[aria-sort=descending]:has-text('Games')").waitFor();
    const row = page.locator("tbody tr", { hasText: "small" });
    const cell = (name) => row.locator(`[data-label="${name}"]`).innerText();
    await until(() => cell("State"), "stopped");
    await until(() => cell("Verdict"), "Unclear\n2 ratings so far");
    await row.locator("a").click();
    await until(() => desk.count(".chart"), (n) => n > 5);
    await until(() => desk.text(".charts"), (text) => text.includes("Draw rate"));
    await until(() => desk.count(".interval"));
    await desk.unfold("Settings");
    await until(() => desk.text(".settings"), (text) => text.includes("selfplay.games_per_generation"));
    // One cursor and one range for all charts.
    const picture = page.locator(".chart:not([hidden]) svg").nth(1);
    await picture.hover();
    await until(() => page.locator(".chart .cursor[visibility=visible]").count(), (n) => n > 5);
    await page.getByLabel("Search curves").fill("draw rate");
    await until(() => page.locator(".chart:visible").count(), 1);
    await page.getByLabel("Search curves").fill("");
    await page.getByRole("button", { name: "Gate: Model 1" }).click();
    await until(() => desk.text("td.gate"), (text) => /promoted\. Against model 000000: \d won/i.test(text));
    train("runs/small", 1, 2);
    await until(() => desk.text(".two"), (text) => text.includes("Model 2"));
    await desk.go("#/runs/small/1");
    await desk.choose("filter", "draw");
    await until(() => desk.texts("td:nth-child(2)"), (found) => found.every((text) => text.startsWith("Draw")));
    await desk.choose("filter", "all");
    await page.locator("td a").first().click();
    // A step has no effect while it loads.
    await desk.keys("ArrowLeft");
    await page.locator(".game-chart").waitFor();
    await desk.keys(...Array(12).fill("ArrowRight"));
    await until(() => page.locator(".moves [aria-current]").getAttribute("data-plies"), "12");
    await until(() => page.locator(".value-bar").getAttribute("aria-label"), (text) => text.includes("White"));
    const shown = [];
    for (let step = 0; step < 20; step += 1) {
      shown.push(...(await desk.texts(".policy .move")));
      await desk.keys("ArrowRight");
    }
    const moves = await desk.moves();
    await desk.press("Copy PDN");
    await until(() => desk.text(".hint"), "Copied.");
    const pdn = await page.evaluate(() => navigator.clipboard.readText());
    assert.match(pdn, /\[Event "small, generation 1, game 0"\]/);
    assert.ok(shown.length > 0 && shown.every((move) => /^\d+([-x]\d+)+$/.test(move)), shown);
    await desk.press("Continue on the board");
    await until(desk.hash, (hash) => hash.startsWith("#/game/"));
    await until(desk.moves, moves);
    await desk.begin("english");
    await desk.unfold("Save, open, share");
    await desk.load(pdn);
    await until(desk.moves, moves);
  }, { permissions: ["clipboard-read", "clipboard-write"] });

  on("the PDN of a game of a run has a result that its moves do not show", url, async (desk) => {
    const { page } = desk;
    await page.route("**/api/runs/small/games/1/0", async (route) => {
      const record = await (await route.fetch()).json();
      await route.fulfill({ json: { ...record, line: { ...record.line, result: "black", reason: "adjudicated" } } });
    });
    await desk.go("#/runs/small/1/0");
    await page.locator(".move-row").first().waitFor();
    await desk.press("Copy PDN");
    await until(() => desk.text(".hint"), "Copied.");
    assert.match(await page.evaluate(() => navigator.clipboard.readText()), /\[Winner "Black"\]/);
  }, { permissions: ["clipboard-read", "clipboard-write"] });

  on("the log of a run, its marks, names of all curves, and news on the desktop", url, async (desk) => {
    const { page } = desk;
    await page.addInitScript(() => {
      window.notes = [];
      window.Notification = class {
        static permission = "default";
        static requestPermission = async () => (window.Notification.permission = "granted");
        constructor(title, { body }) { window.notes.push(body); }
      };
    });
    let change = (run) => run;
    const altered = async (route) => {
      const found = await (await route.fetch()).json();
      await route.fulfill({ json: Array.isArray(found) ? found.map((run) => change(run)) : change(found) });
    };
    await page.route("**/api/runs/small/log", (route) => route.fulfill({ json: { lines: ["stage begins", "stage ended"], resumed: [1] } }));
    await page.route("**/api/runs/small", altered);
    await page.route("**/live", (route) => route.abort());
    change = (run) => ({ ...run, curves: Object.fromEntries(Object.entries(run.curves).map(([tag, points]) => [tag, [[0, 1], ...points, [3, 1]]])), changes: [{ generation: 2, key: "seed", old: "1", new: "2" }], ratings: { ...run.ratings, points: [...run.ratings.points, { ...run.ratings.points.at(-1), generation: 3, model: 9 }] } });
    await desk.go("#/runs/small");
    await until(() => desk.count(".chart .mark.stop"), (n) => n > 1);
    await until(() => desk.count(".chart .mark.change"), (n) => n > 1);
    await until(() => desk.count(".chart .mark.champion"), (n) => n > 1);
    const marks = await desk.texts(".chart .mark title");
    for (const text of ["seed from 1 to 2", "new champion: model 9", "resumed in generation 1"]) assert.ok(marks.includes(text), marks);
    await page.locator("summary:text-is('Log')").click();
    await until(() => desk.text("pre.scroll"), "stage begins\nstage ended");
    const nameless = await page.evaluate(async () => {
      const { CURVES } = await import("/assets/words.js");
      const { curves } = await (await fetch("/api/runs/large")).json();
      return Object.keys(curves).filter((tag) => !CURVES[tag] && !/^(rating|progress)\//.test(tag));
    });
    assert.deepEqual(nameless, []);
    await page.unroute("**/api/runs/small");
    await page.route("**/api/runs", altered);
    change = (run) => ({ ...run, is_live: true });
    await desk.go("#/runs");
    await until(() => desk.texts('[data-label="State"]'), ["training", "training"]);
    await desk.press("Notify me");
    await page.locator("button[aria-pressed=true]:text-is('Notify me')").waitFor();
    change = (run) => (run.name === "small" ? { ...run, status: { ...run.status, interrupted: true } } : { ...run, is_live: true, verdict: { word: "collapsed", reason: "lost 200 Elo" } });
    await until(() => page.evaluate(() => [...window.notes].sort()), ["Run large is losing strength: lost 200 Elo", "Run small was killed."]);
    await page.evaluate(() => (window.Notification.requestPermission = async () => (window.Notification.permission = "denied")));
    await desk.press("Notify me");
    await page.locator("button[aria-pressed=false]:text-is('Notify me')").waitFor();
    await desk.press("Notify me");
    await until(() => desk.text(".bar-row .note"), "The browser does not allow this page to notify you.");
  });

  on("a phone, where only the worker may notify, shows that a run has ended", url, async (desk) => {
    const { page } = desk;
    await page.addInitScript(() => {
      if (location.protocol === "about:") return;
      window.Notification = class {
        static permission = "granted";
        constructor() { throw new TypeError("Illegal constructor"); }
      };
      ServiceWorkerRegistration.prototype.showNotification = async (title, { body }) => (window.told = body);
      window.EventSource = class extends EventTarget {
        constructor() {
          super();
          window.source = this;
        }

        close() {}
      };
      localStorage.setItem("crownhead.notify", "true");
    });
    await desk.go("#/runs/small");
    await page.waitForFunction(() => window.source);
    const send = (more) => page.evaluate(async (more) => {
      const run = await (await fetch("/api/runs/small")).json();
      window.source.dispatchEvent(Object.assign(new Event("run"), { data: JSON.stringify({ ...run, ...more }) }));
    }, more);
    await send({ is_live: true });
    await until(() => desk.text(".crumbs"), (text) => text.endsWith("live"));
    await send({ is_live: false });
    await until(() => desk.text(".crumbs"), (text) => !text.endsWith("live"));
    await until(() => page.evaluate(() => window.told), (text) => text?.startsWith("Run small"));
  });

  on("one odd line in a run's files takes its part of the page only", url, async (desk) => {
    const { page } = desk;
    const long = "x".repeat(250);
    await page.route("**/api/runs/small", async (route) => {
      const run = await (await route.fetch()).json();
      run.curves = JSON.parse(JSON.stringify(run.curves).replace(/^\{/, `{"__proto__": [[1, 2], [2, 3]], "loss/${long}": [[1, 2]], `));
      run.status.selfplay = 5;
      run.models[0].elo = "odd";
      await route.fulfill({ body: JSON.stringify(run), contentType: "application/json" });
    });
    await page.route("**/live", (route) => route.abort());
    await desk.go("#/runs/small");
    await until(() => desk.count(".chart"), (n) => n > 5);
    assert.equal(await desk.count(".failure"), 0);
    const [content, window] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
    assert.ok(content <= window, `${content} of ${window} pixels`);
  });

  test("a run is live as long as it is trained; its upsets", LIMIT, async (t) => {
    const url = await serve("--runs", join(TEMPORARY, "others"));
    const desk = await open(t, url, { hash: "#/runs" });
    await until(() => desk.text(".card pre"), (text) => text.startsWith("crownhead train "));
    // Many games played to their end, by a network that learns too fast to be accurate.
    const settings = { "selfplay.max_plies": 400, "selfplay.games_per_generation": 100, "train.learning_rate": 0.01 };
    const share = join(TEMPORARY, "others/killed");
    const order = trainOrder("others/killed", 2, 1000, "--fleet", share, ...Object.entries(settings).flatMap(([key, value]) => ["--set", `${key}=${value}`]));
    const trainer = spawn(CROWNHEAD, order, { stdio: "ignore" });
    t.after(() => trainer.kill("SIGKILL"));
    const ended = new Promise((resolve) => trainer.on("exit", resolve));
    const state = () => desk.texts('tr:has-text("killed") [data-label="State"]');
    const found = async () => (await (await fetch(`${url}api/runs`)).json()).find(({ name }) => name === "killed");
    await until(found, (run) => run?.is_live && run.n_models > 2);
    await until(state, ["training"]);
    const worker = spawn(CROWNHEAD, ["worker", "--join", share, "--threads", "1"], { stdio: "ignore" });
    t.after(() => worker.kill("SIGKILL"));
    await desk.go("#/runs/killed");
    await until(() => desk.texts('[data-label="Machine"], [data-label="State"]'), (cells) => cells.length === 2 && cells[1] === "playing");
    await until(() => desk.text(".card"), (text) => /\d+ of \d+ parts played/.test(text));
    await desk.go("#/runs");
    trainer.kill("SIGKILL");
    await ended;
    await desk.page.reload();
    await until(state, ["killed"]);
    await desk.go("#/runs/killed/2");
    const games = await (await fetch(`${url}api/runs/killed/games/2`)).json();
    const upsets = games.filter(({ winner_low: low }) => low != null && low <= 0.25).map(({ number }) => String(number));
    assert.ok(upsets.length > 0 && upsets.length < games.length, JSON.stringify(games));
    await until(() => desk.texts("td:first-child"), games.map(({ number }) => String(number)));
    await desk.choose("filter", "upset");
    await until(() => desk.texts("td:first-child"), upsets);
    await desk.choose("filter", "swing");
    await until(() => desk.texts("td:first-child"), games.filter(({ swing }) => swing >= 0.5).map(({ number }) => String(number)));
    await desk.choose("filter", "all");
    await desk.press("Plies");
    const longest = games.map(({ plies }) => plies).sort((a, b) => b - a).map(String);
    await until(() => desk.texts("td:nth-child(3)"), longest);
  });

  on("axe-core finds nothing, light and dark", url, async (desk) => {
    const { page } = desk;
    await desk.begin("english");
    await desk.move();
    await until(desk.plies, 1);
    const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
    for (const colorScheme of ["light", "dark"]) {
      await page.emulateMedia({ colorScheme });
      for (const [hash, sign] of VIEWS) {
        await desk.go(hash);
        await page.locator(sign).first().waitFor();
        assert.ok((await desk.shift()) < MOST_SHIFT, `${hash}: ${await desk.shift()}`);
        await page.evaluate(() => document.querySelectorAll("details").forEach((details) => (details.open = true)));
        await page.evaluate(axe);
        const found = await page.evaluate(async () => (await axe.run()).violations.map(({ id, nodes }) => `${id} ${nodes[0].html}`));
        assert.deepEqual(found, [], `${colorScheme} ${hash}`);
      }
      const [ground, ink] = await page.evaluate(() => [getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color]);
      assert.equal(luminance(ground) > luminance(ink), colorScheme === "light");
      await desk.go("#/rules/ringboard");
      await page.locator(".number.rim").first().waitFor();
      const fill = (selector) => page.locator(selector).first().evaluate((element) => getComputedStyle(element).fill);
      for (const kind of [":not(.rim)", ".rim"]) {
        const [low, high] = [luminance(await fill(`.board .number${kind}`)), luminance(await fill(`.board .dark${kind}`))].sort((a, b) => a - b);
        assert.ok((high + 0.05) / (low + 0.05) >= 4.5, `${colorScheme} numbers ${kind}`);
      }
    }
  });

  on("a small laptop has board, lines, moves and the graph in its window", url, async (desk) => {
    const boxes = await studied(desk);
    for (const [selector, { x, y, width, height }] of Object.entries(boxes)) assert.ok(x >= 0 && x + width <= 1280 && y >= 0 && y + height <= 720, `${selector}: ${x} ${y} ${width} ${height}`);
  }, { viewport: { width: 1280, height: 720 } });

  on("a phone has board, lines, moves and the graph, without scrolling sideways", url, async (desk) => {
    const boxes = await studied(desk);
    for (const [selector, { x, width }] of Object.entries(boxes)) assert.ok(x >= 0 && width > 100 && x + width <= 390, `${selector}: ${x} ${width}`);
    assert.ok(boxes[".board"].width > 330, "the board has nearly the whole width");
    // Lines come right after the board and the buttons, the moves after them.
    assert.ok(boxes[".lines"].y - (boxes[".board"].y + boxes[".board"].height) < 330, JSON.stringify(boxes));
    assert.ok(boxes[".moves-box"].y > boxes[".lines"].y);
    await desk.page.locator("[name=move]").fill("9 14");
    await desk.page.locator("[name=move]").press("Enter");
    await until(desk.moves, (moves) => moves.includes("9-14"));
    const [content, window] = await desk.page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
    assert.ok(content <= window && window === 390, `${content} of ${window} pixels`);
  }, { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true });

  on("a phone that lies on its side shows the whole board", url, async (desk) => {
    await desk.page.locator(".hit.can").first().waitFor();
    const { height } = await desk.page.locator(".board").boundingBox();
    assert.ok(height > 250 && height < 360, `${height} px`);
  }, { viewport: { width: 740, height: 360 }, isMobile: true, hasTouch: true });

  for (const code of ["en", "nl"]) {
    on(`the smallest phone names the engine and the lines, in ${code}`, url, async (desk) => {
      await desk.page.evaluate((code) => localStorage.setItem("crownhead.language", JSON.stringify(code)), code);
      await desk.go("#/play");
      await desk.page.locator(".hit.can").first().waitFor();
      for (const name of ["analyst", "lines"]) {
        const { width } = await desk.page.locator(`[name=${name}]`).boundingBox();
        assert.ok(width > 90, `${name}: ${width} px`);
      }
      const content = await desk.page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(content <= 320, `${content} px`);
    }, { viewport: { width: 320, height: 640 } });
  }

  on("a small phone, with fingers", url, async (desk) => {
    await desk.begin("thai", "human", "random");
    await desk.move(desk.pointing("finger"));
    await desk.wait(2);
    await desk.move(desk.pointing("finger", true));
    await desk.wait(4);
    for (const [hash, sign] of VIEWS) {
      await desk.go(hash);
      await desk.page.locator(sign).first().waitFor();
      const [content, window] = await desk.page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
      assert.ok(content <= window && window === 360, `${hash}: ${content} of ${window} pixels`);
      assert.ok((await desk.shift()) < MOST_SHIFT, `${hash}: ${await desk.shift()}`);
      assert.doesNotMatch(await desk.page.locator("main").innerText(), /NaN|undefined/);
    }
  }, { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true });
}

/** A game that was analyzed, and whose end is analyzed; the places of what is shown then. */
async function studied(desk) {
  await desk.begin("english");
  await desk.unfold("Save, open, share");
  await desk.choose("analyst", "ab:bundled");
  await desk.load(STUDY);
  await until(desk.moves, (moves) => moves.includes("15-18"));
  await desk.unfold("Course of the game");
  await desk.press("Analyze the whole game");
  await until(() => desk.count(".tally td"));
  await desk.keys("a");
  await until(() => rows(desk), (found) => found.length === 3);
  await desk.page.evaluate(() => scrollTo(0, 0));
  const box = (selector) => desk.page.locator(selector).first().boundingBox();
  const boxes = {};
  // Lines are drawn again all the time: between two drawings they have no place.
  for (const selector of [".board", ".lines", ".game-chart", ".moves-box", "[name=move]"]) boxes[selector] = await until(() => box(selector).catch(() => null));
  return boxes;
}

/** Web Vitals call a page good that shifts by no more. A shift soon after an input does not count, one after a late reply does. */
const MOST_SHIFT = Number(options.delay) ? Infinity : 0.1;

/** Every view, and what is on it when it is complete. */
const VIEWS = [
  ["#/play", ".hit.can"],
  ["#/games", "td"],
  ["#/rules/ringboard", ".point"],
  ["#/puzzles", "pre"],
  ["#/editor/frisian", ".piece"],
  ["#/runs", "td"],
  ["#/runs/small", ".chart"],
  ["#/runs/small/1", "td"],
  ["#/runs/small/1/0", ".move-row"],
];

/** The relative luminance of a color `rgb(r, g, b)`, as the WCAG define it. */
function luminance(color) {
  const [red, green, blue] = color.match(/\d+/g).map((part) => part / 255).map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function checkLan() {
  test("a server for the network is closed without its token", async (t) => {
    const link = await serve("--lan=127.0.0.1");
    const [url] = link.split("?");
    const stranger = await open(t, url, { hash: "" });
    await until(() => stranger.text("body"), (text) => text.includes("closed to this browser"));
    assert.equal(await stranger.page.locator(".card").evaluate((card) => getComputedStyle(card).borderRadius), "12px", "with a style");
    const friend = await open(t, link, { hash: "" });
    await friend.page.locator(".hit.can").first().waitFor();
    const browser = await friend.page.context().newCDPSession(friend.page);
    const { installabilityErrors } = await browser.send("Page.getInstallabilityErrors");
    assert.deepEqual(installabilityErrors.map(({ errorId }) => errorId), ["in-incognito"], "nothing else is in the way");
    assert.ok(friend.page.url().startsWith(`${url}#/game/`), "the token stays out of sight");
    for (const address of [url, link]) {
      await friend.page.goto("about:blank");
      await friend.page.goto(address);
      await friend.page.locator(".hit.can").first().waitFor();
    }
    const thief = await open(t, link, { hash: "" });
    // The token works once.
    await until(() => thief.text("body"), (text) => text.includes("closed to this browser"));
  });
}

const KINDS = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".wasm": "application/wasm", ".json": "application/json" };

/** Exports a page and gives its files away; the address and what ends the server. */
async function exported(source, name = source.replace(":", "-")) {
  const folder = join(TEMPORARY, name);
  execFileSync(CROWNHEAD, ["export", source, "--to", folder, "--page"], { stdio: "ignore" });
  const server = createServer(({ url }, reply) => {
    const file = join(folder, decodeURIComponent(url.split("?")[0].replace(/\/$/, "/index.html")));
    if (!existsSync(file)) return reply.writeHead(404).end();
    reply.writeHead(200, { "content-type": KINDS[extname(file)] ?? "application/octet-stream" }).end(readFileSync(file));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const stop = () => (server.closeAllConnections(), server.close());
  closing.push(stop);
  return { url: `http://127.0.0.1:${server.address().port}/`, stop };
}

function checkExported(served) {
  test("an exported page plays and knows endings, and goes on without its server", LIMIT, async (t) => {
    const { url, stop } = await exported("bundled:english");
    const desk = await open(t, url);
    await desk.begin("english", "human", "network:english");
    await desk.playOut(1);
    await desk.page.evaluate(() => navigator.serviceWorker.ready.then(({ active }) => Boolean(active)));
    stop();
    await desk.go("#/play");
    await desk.begin("english", "human", "network:english");
    await desk.move();
    await desk.wait(2);
    await checkTruth(desk);
  });

  test("an exported page whose files come late is there when they are", LIMIT, async (t) => {
    const { url } = await exported("bundled:english", "late");
    const desk = await open(t, url, { serviceWorkers: "block", hash: "#/games" });
    let isAway = true;
    await desk.page.route(/agents\.json|\.wasm$/, (route) => (isAway ? route.abort() : route.continue()));
    await desk.go("#/play");
    await until(() => desk.text(".failure"), (text) => text.includes("The connection to the server was lost"));
    isAway = false;
    await desk.press("Try again");
    await until(desk.state, ({ phase }) => phase === "human");
  });

  test("an exported page plays on next to a hint and an analysis", LIMIT, async (t) => {
    const { url } = await exported("bundled:english", "next-to");
    const desk = await open(t, url);
    await desk.begin("english", "human", "network:english");
    await desk.choose("analyst", "network:english");
    await desk.move();
    await until(desk.state, ({ phase }) => phase === "thinking");
    await desk.keys("h");
    await desk.wait(2);
    await desk.move();
    await until(desk.state, ({ phase }) => phase === "thinking");
    await desk.keys("Home", "a");
    await until(() => desk.count(".lines li"));
    await desk.keys("End");
    await desk.wait(4);
    assert.equal(await desk.text(".control .wrong"), "");
    // The files of another export on the same origin stay.
    await desk.page.evaluate(async () => {
      await caches.open("crownhead-other");
      await (await navigator.serviceWorker.ready).unregister();
    });
    await desk.go("#/play");
    const names = () => desk.page.evaluate(() => navigator.serviceWorker.ready.then(({ active }) => active.state === "activated" && caches.keys()));
    await until(names, (found) => found && found.includes("crownhead-other") && found.some((name) => name.includes(url)));
  });

  test("an exported page plays every game", LIMIT, async (t) => {
    const { url } = await exported("ab:bundled");
    const desk = await open(t, url);
    await desk.press("New game");
    const variants = await until(() => desk.page.locator("dialog [name=variant] option").evaluateAll((found) => found.map(({ value }) => value)), (found) => found.length >= 5);
    await desk.press("Cancel");
    const agents = await (await fetch(`${url}assets/agents.json`)).json();
    const list = await (await fetch(`${served}api/variants`)).json();
    assert.deepEqual(variants, list.map(({ name }) => name), "the games have the order of a server's page");
    for (const variant of variants) {
      await desk.press("New game");
      await desk.chooseVariant(variant);
      const isLearned = agents.some((agent) => agent.variant === variant);
      await until(() => desk.texts("[name=second] option"), (found) => found.includes(isLearned ? "Alpha-beta search" : "Piece counter"));
      await desk.press("Cancel");
      const agent = isLearned ? `evaluation:${variant}` : `material:${variant}`;
      await desk.begin(variant, "human", agent, "1+2");
      await desk.move();
      await desk.wait(2);
      // A piece counter gives no chances.
      if (!isLearned) await until(() => desk.page.locator(".value-bar").getAttribute("aria-label"), "no value yet");
    }
    await desk.unfold("Save, open, share");
    await desk.load("W:W99:B1");
    await until(() => desk.text(".exchange [role=alert]"), (text) => text.includes("square 99"));
  });
}

const HOSTILE = `[Event "<script>window.stolen = 1</script>"] [White "<img src=x onerror='window.stolen = 2'>"]
[Black "\\"><svg onload=window.stolen=3>"] [Site "javascript:window.stolen=4"] [Date "<iframe srcdoc='<script>parent.stolen=5</script>'>"]
1. 11-15 {<img src=x onerror="window.stolen = 6">} 23-19 {</textarea><script>window.stolen = 7</script>} *`;

/** Text of strangers stays text, and what it asks for is not loaded, on a server's page and on an exported one. */
function checkHostile(name, url) {
  test(`${name} runs nothing that is written in a game`, LIMIT, async (t) => {
    const desk = await open(t, await url());
    const { page } = desk;
    await desk.unfold("Save, open, share");
    await desk.load(HOSTILE);
    await until(desk.moves, (moves) => moves.includes("11-15"));
    for (const fen of ["W:W<img src=x onerror=window.stolen=8>:B1", "<script>window.stolen=9</script>"]) {
      await desk.load(fen);
      await until(() => desk.text(".exchange [role=alert]"));
    }
    for (const hash of ["#/game/<img src=x onerror=window.stolen=10>", "#/rules/<script>window.stolen=11</script>", "#/runs/<img src=x onerror=window.stolen=12>"]) {
      await desk.go(hash);
      await rest(200);
    }
    await desk.go("#/play");
    await until(() => desk.count(".hit"));
    assert.equal(await page.evaluate(() => window.stolen), undefined);
    assert.equal(await desk.count("main img[src=x], iframe, object, embed"), 0);
    desk.forgiven.push("Content Security Policy", "ERR_");
    // A script that gets into the page all the same does not run, and nothing is loaded from
    // elsewhere.
    const blocked = await page.evaluate(async () => {
      const found = [];
      addEventListener("securitypolicyviolation", ({ effectiveDirective }) => found.push(effectiveDirective));
      const script = document.createElement("script");
      script.textContent = "window.stolen = 13";
      const image = document.createElement("img");
      image.src = "http://127.0.0.1:9/x.png";
      document.body.append(script, image);
      await fetch("http://127.0.0.1:9/").catch(() => {});
      for (let n = 0; n < 100 && found.length < 3; n += 1) await new Promise((go) => setTimeout(go, 20));
      return { found: found.sort(), stolen: window.stolen };
    });
    assert.deepEqual(blocked, { found: ["connect-src", "img-src", "script-src-elem"], stolen: undefined });
  });
}

const STUDY = `[Event "Two ways to answer"] [White "Ann"] [Black "Ben"]
1. 11-15 23-19 2. 8-11 22-17! {the Dyke} (2... 22-18 15x22 3. 25x18 {solid}) 3. 4-8 17-13
4. 15-18 {the main reply} 24-20 *`;

/** Takes the screenshots of the README: a game that is analyzed, the rules of a game, a trained run. */
function takeScreenshots(folder) {
  test("screenshots", LIMIT, async (t) => {
    const desk = await open(t, await serve("--runs", options.runs), { viewport: { width: 1180, height: 1060 } });
    const { page } = desk;
    const shoot = async (name) => {
      await rest(600);
      await page.screenshot({ path: join(folder, `${name}.png`) });
    };
    await desk.unfold("Save, open, share");
    await desk.load(STUDY);
    await until(desk.moves, (moves) => moves.includes("15-18"));
    await desk.unfold("Save, open, share");
    await desk.unfold("Course of the game");
    await desk.press("Analyze the whole game");
    await page.locator(".tally td").first().waitFor();
    await desk.look("17-13");
    await desk.keys("a");
    await until(() => desk.count(".arrow"), (n) => n > 1);
    await rest(2000);
    await page.evaluate(() => scrollTo(0, 0));
    const game = desk.hash();
    for (const colorScheme of ["light", "dark"]) {
      await page.emulateMedia({ colorScheme });
      await shoot(`play-${colorScheme}`);
    }
    await page.emulateMedia({ colorScheme: "light" });
    await desk.go("#/rules/frisian");
    await page.locator(".point").first().waitFor();
    await shoot("rules-light");
    // The main views on a small laptop and on a phone.
    const runs = readdirSync(options.runs);
    const analyze = async () => {
      await page.locator(".hit").first().waitFor();
      await desk.settle();
      await desk.keys("a");
      await until(() => desk.count(".lines li"), (n) => n > 1);
    };
    const solve = async () => {
      await page.locator("input[type=file]").setInputFiles({ name: "p.json", mimeType: "application/json", buffer: Buffer.from(JSON.stringify(PUZZLES)) });
      await until(() => desk.squares("can move"), (found) => found.length);
    };
    const views = {
      board: ["#/new/english", ".hit.can", async () => { await desk.press("Start"); }],
      analysis: [game, ".tally", analyze],
      puzzle: ["#/puzzles", ".hit.can", solve],
      run: [`#/runs/${runs[0]}`, ".chart", null],
      comparison: [`#/runs?${new URLSearchParams(runs.slice(0, 4).map((run) => ["run", run]))}`, ".comparison .chart", null],
    };
    for (const [width, height] of [[1280, 720], [390, 844]]) {
      await page.setViewportSize({ width, height });
      for (const [name, [hash, sign, act]] of Object.entries(views).slice(0, runs.length ? 5 : 3)) {
        await desk.go(hash);
        if (act) await act();
        await page.locator(sign).first().waitFor({ state: "attached" });
        await rest(1500);
        await page.screenshot({ path: join(folder, `page-${name}-${width}.png`) });
      }
    }
  });
}

if (options.screenshots) takeScreenshots(options.screenshots);
else {
  train("runs/small", 1, 1);
  train("runs/large", 2, 1);
  const url = await serve("--runs", RUNS);
  const variants = await (await fetch(`${url}api/variants`)).json();
  describe("the page", { concurrency: 3 }, () => {
    checkGames(url, variants);
    if (IS_FIREFOX) return;
    checkBoard(url);
    checkFaults(url);
    checkPuzzles(url);
    checkOpenings();
    checkLanguages(url);
    checkAnalysis(url);
    checkRuns(url);
    checkLan();
    checkExported(url);
    checkSize("the page of a server", () => url);
    checkSize("an exported page", async () => (await exported("ab:bundled", "size")).url);
    checkHostile("the page of a server", () => url);
    checkHostile("an exported page", async () => (await exported("bundled:english", "hostile")).url);
  });
}
