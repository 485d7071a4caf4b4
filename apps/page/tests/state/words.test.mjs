// Every catalogue of texts has the same keys, and takes the same arguments.

import assert from "node:assert/strict";
import { test } from "node:test";
import * as english from "../../assets/words-en.js";
import { LANGUAGES } from "../../assets/words.js";

/** The technical names of curves are the same in every language. */
const SHARED = ["CURVES"];

/** The keys of a catalogue, with what kind of text each is. */
function shape(value, key = "") {
  if (typeof value === "function") return [`${key}()`];
  if (typeof value === "string" || value === null) return [key];
  return Object.entries(value).flatMap(([name, content]) => shape(content, `${key}.${name}`)).sort();
}

for (const code of Object.keys(LANGUAGES).filter((code) => code !== "en")) {
  test(`the catalogue ${code} has the keys of the English one`, async () => {
    const own = await import(`../../assets/words-${code}.js`);
    for (const name of Object.keys(english).filter((name) => !SHARED.includes(name))) {
      assert.deepEqual(shape(own[name], name), shape(english[name], name));
    }
    for (const [key, text] of Object.entries(own.words)) {
      if (typeof text !== "function") continue;
      const [given, wanted] = [text, english.words[key]].map((make) => make.length);
      assert.ok(given <= wanted, `${key} takes ${given} arguments, and not ${wanted}`);
    }
    assert.match(LANGUAGES[code], /unreviewed/);
  });
}
