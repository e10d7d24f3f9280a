import { version } from "./version.ts";

const words = process.argv.slice(2);
const asksForHelp = words.includes("--help") || words.includes("-h");
// What scripts ask for at every turn, and what containers start, load nothing else; the build keeps
// them apart.
if (words[0] === "--version") {
  console.log(version());
} else if (words[0] === "serve" && !asksForHelp) {
  import("./serve/alone.ts").then(({ run }) => run(words));
} else {
  import("./commands.ts").then(({ run }) => run(words));
}
