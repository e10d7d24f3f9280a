/**
 * `node record-code.ts FILE WORD…`: runs a built file with the words of a command line, and keeps the
 * code that V8 has made of it by the end.
 */
import { writeFileSync } from "node:fs";
import { codeOf, compiled, exportsOf } from "../packages/server/src/lib/runtime/code-cache.ts";
import { unsetServerFlags } from "../packages/server/src/lib/runtime/v8-flags.ts";

const [file = "", ...words] = process.argv.slice(2);
const script = compiled(file, undefined);
process.on("exit", () => {
  unsetServerFlags();
  writeFileSync(codeOf(file), script.createCachedData());
});
const { run } = exportsOf(file, script) as { run(words: readonly string[]): Promise<void> };
await run(words);
