#!/usr/bin/env node
// Starts the released command, which has its bundles beside it. It is bin/wharf.cjs of the package. Written for any
// Node.js, old ones included.
"use strict";
const { OLDEST_FOR_SERVER, bundledNode, handOver, major } = require("./runtime.cjs");

/** The oldest Node.js of the commands, as the manifest of the package says: it has crypto.hash. */
const OLDEST = [20, 12];

/** The oldest Node.js that has all functions that the commands call. */
const OLDEST_COMPLETE = 24;

/** Whether this command line runs the server, or opens its store. */
function needsServer() {
  const words = process.argv.slice(2);
  if (words.includes("--help") || words.includes("-h")) return false;
  return (
    ["serve", "serve-worker", "admin"].includes(words[0]) ||
    (words[0] === "registry" && words[1] === "run")
  );
}

function isTooOld() {
  const [first, second] = process.versions.node.split(".").map(Number);
  return first < OLDEST[0] || (first === OLDEST[0] && second < OLDEST[1]);
}

function fail(message, hint) {
  console.error(`wharf: ${message}\n  → ${hint}`);
  process.exit(1);
}

function start() {
  if (major() < OLDEST_COMPLETE) require("../dist/older-node.cjs");
  require("../dist/wharf.cjs");
}

if (isTooOld()) {
  const oldest = OLDEST.join(".");
  fail(`needs Node.js ${oldest} or newer, this is ${process.version}`, "install a newer Node.js");
} else if (needsServer() && major() < OLDEST_FOR_SERVER) {
  const node = bundledNode();
  if (node) handOver(node, __filename);
  else {
    fail(
      `the server needs Node.js ${OLDEST_FOR_SERVER} or newer, this is ${process.version}`,
      "install a newer Node.js, or use the single-file executable or the container image, which contain one",
    );
  }
} else {
  start();
}
