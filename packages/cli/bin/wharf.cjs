#!/usr/bin/env node
// Starts the CLI on a Node.js that can run it. Written for any Node.js, old ones included:
// if the current one is too old, it hands over to the bundled one.
"use strict";
const fs = require("fs");
const path = require("path");
const { OLDEST_FOR_SERVER, bundledNode, handOver, major } = require("./runtime.cjs");

const PACKAGES = path.join(__dirname, "..", "..");
/** A link to the folder of the current build: see scripts/build-folder.ts. */
const DIST = path.join(PACKAGES, "cli", "dist");
const BUILT = path.join(DIST, "wharf.cjs");
/** The inputs of the build, one path below packages/ a line: scripts/build.ts writes it. Most commands need a part. */
const NEED_SERVER = ["serve", "serve-worker", "admin", "registry"];
const SOURCES = path.join(
  DIST,
  NEED_SERVER.includes(process.argv[2]) ? "sources" : "commands.sources",
);

/** Whether there is a build, and nothing that went into it has changed since. */
function isBuilt() {
  if (!fs.existsSync(BUILT) || !fs.existsSync(SOURCES)) return false;
  const made = fs.statSync(BUILT).mtimeMs;
  const sources = fs.readFileSync(SOURCES, "latin1").split("\n");
  return sources.every((source) => {
    const file = fs.statSync(PACKAGES + source, { throwIfNoEntry: false });
    return file !== undefined && file.mtimeMs <= made;
  });
}

/** Keeps the folder of the build while this process runs: a later build removes older ones. */
function markUsed() {
  try {
    fs.writeFileSync(path.join(fs.realpathSync(DIST), `used-${process.pid}`), "");
  } catch (_notOurs) {
    // The build of another user, who can rebuild it.
  }
}

function run() {
  // Beside the build, where only the installing user can write: a code cache is code.
  require("module").enableCompileCache(`${DIST}-code-cache`);
  if (isBuilt()) {
    if (process.argv[2] === "serve") markUsed();
    require(BUILT);
  } else {
    const { pathToFileURL } = require("url");
    import(pathToFileURL(path.join(PACKAGES, "cli", "src", "main.ts")).href);
  }
}

if (major() >= OLDEST_FOR_SERVER) {
  run();
} else {
  const node = bundledNode();
  if (node) {
    handOver(node, __filename);
  } else {
    console.error(
      `wharf: needs Node.js ${OLDEST_FOR_SERVER} or newer, this is ${process.version},` +
        ` and none was installed for ${process.platform}-${process.arch}`,
    );
    process.exit(1);
  }
}
