import { version } from "./version.ts";

const words = process.argv.slice(2);
const asksForHelp = words.includes("--help") || words.includes("-h");
// A server of several processes starts them itself.
const isWorker = words[0] === "serve-worker" && process.channel !== undefined;
// Scripts often ask for the version, and containers start the server: neither loads the commands. Most commands do
// without the server.
if (words[0] === "--version") {
  console.log(version());
} else if ((words[0] === "serve" && !asksForHelp) || isWorker) {
  import("./serve/alone.ts").then(({ run }) => run(words));
} else if (words[0] === "admin" && !asksForHelp) {
  import("./operators.ts").then(({ run }) => run(words));
} else {
  import("./commands.ts").then(({ run }) => run(words));
}
