/**
 * Bundles the command for this folder, and has V8 compile it. The sources run as they are, but reading some hundreds
 * of small files makes for a slow start; one file that is compiled already starts at once.
 */
import { rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { BuildResult } from "esbuild";
import { buildConsole } from "./build-console.ts";
import { newBuild, publishBuild } from "./build-folder.ts";
import { bundle, LIBRARIES } from "./bundles.ts";
import { keepCode } from "./code.ts";
import { ROOT } from "./step.ts";

const COMMAND = join(ROOT, "packages/cli");
const OUT = newBuild(COMMAND);
// A build that fails leaves nothing, and the last one stays.
process.once("uncaughtException", (error) => {
  rmSync(OUT, { recursive: true, force: true });
  throw error;
});

/** Releases compress the console as well as they can; a build for this folder is to be done soon. */
const BROTLI_QUALITY = 5;

const console = { metafile: await buildConsole(join(OUT, "console"), BROTLI_QUALITY) };
const { commands, operators } = await bundle({
  out: OUT,
  target: "node24",
  plain: false,
  plugins: [],
  // Found beside us.
  external: LIBRARIES,
});
listSources("commands.sources", commands);
listSources("sources", [...commands, ...operators, console]);
await keepCode(OUT);
publishBuild(COMMAND, OUT);

/** Lists what went into some of the files, for the launcher, with the folder of SQL files, which changes with a new one. */
function listSources(name: string, built: readonly Pick<BuildResult, "metafile">[]): void {
  const files = built.flatMap(({ metafile }) => Object.keys(metafile?.inputs ?? {}));
  const folders = files.filter((file) => file.endsWith(".sql")).map((file) => dirname(file));
  const inputs = new Set([...files, ...folders]);
  const ours = [...inputs].filter((file) => file.startsWith("packages/"));
  writeFileSync(join(OUT, name), ours.map((file) => file.slice("packages".length)).join("\n"));
}
