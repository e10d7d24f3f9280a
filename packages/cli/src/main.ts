import { version } from "./version.ts";

const words = process.argv.slice(2);
// Asked for by scripts at every turn: nothing else is loaded for it, and the build keeps it apart.
if (words[0] === "--version") {
  console.log(version());
} else {
  import("./commands.ts").then(({ run }) => run(words));
}
