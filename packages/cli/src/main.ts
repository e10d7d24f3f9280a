import { version } from "./version.ts";

const words = process.argv.slice(2);
// Asked for by scripts at every turn, so nothing else is loaded for it.
if (words.length === 1 && words[0] === "--version") {
  console.log(version());
} else {
  Promise.all([import("./run.ts"), import("./tree.ts")])
    .then(([{ runCommandLine }, { tree }]) => runCommandLine(tree, words))
    .catch((error: unknown) => {
      console.error(error);
      process.exitCode = 1;
    });
}
