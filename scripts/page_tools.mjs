// Packages from npm for the tests of the page. The first test installs them into target/page.

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const FOLDER = fileURLToPath(new URL("../target/page", import.meta.url));
const PACKAGES = { "playwright-core": "1.55.1", "axe-core": "4.10.3", "fake-indexeddb": "6.2.2" };

if (!Object.keys(PACKAGES).every((name) => existsSync(join(FOLDER, "node_modules", name)))) {
  mkdirSync(FOLDER, { recursive: true });
  const order = ["install", "--prefix", FOLDER, "--no-audit", "--no-fund", "--ignore-scripts", "--no-save", "--silent"];
  execFileSync("npm", [...order, ...Object.entries(PACKAGES).map(([name, version]) => `${name}@${version}`)], { stdio: "inherit" });
}

export const require = createRequire(join(FOLDER, "x.js"));
