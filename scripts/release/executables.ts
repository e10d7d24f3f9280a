/**
 * Single-file executables: Node.js with the bundles inside. Built on one architecture for all, so without code caches.
 */
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { build } from "esbuild";
import { commonOptions } from "../bundles.ts";
import { ROOT, tool } from "../step.ts";
import { nodeFor, type Platform } from "./node-runtimes.ts";
import { withoutSignature } from "./windows.ts";

/** Writes the executable for Linux or Windows from the bundles in a folder. */
export async function writeExecutable(
  platform: Platform,
  bundles: string,
  output: string,
): Promise<void> {
  const main = `${output}.main.cjs`;
  await build({
    ...commonOptions({ target: "node24", plugins: [], external: [] }),
    entryPoints: [join(ROOT, "packages/cli/src/executable.ts")],
    outfile: main,
  });
  const files = readdirSync(bundles, { recursive: true, encoding: "utf8" });
  const assets = files.filter((file) => file.endsWith(".cjs") || isConsole(bundles, file)).sort();
  const config = `${output}.json`;
  writeFileSync(
    config,
    JSON.stringify({
      main: basename(main),
      output,
      executable: platform.startsWith("win32")
        ? unsigned(nodeFor(platform), output)
        : nodeFor(platform),
      disableExperimentalSEAWarning: true,
      assets: Object.fromEntries(
        assets.map((file) => [relative(bundles, join(bundles, file)), join(bundles, file)]),
      ),
    }),
  );
  // In the folder, because the executable contains the path of its main file.
  const inFolder = 'cd "$0" && exec node --build-sea "$1"';
  await tool("sh", "-c", inFolder, dirname(output), config);
  chmodSync(output, 0o755);
}

/** Writes a copy of a program for Windows without the signature, which would no longer be valid; returns its path. */
function unsigned(node: string, output: string): string {
  const copy = `${output}.node`;
  writeFileSync(copy, withoutSignature(readFileSync(node)));
  return copy;
}

/** The files of the web console, which the server reads from its assets. */
function isConsole(bundles: string, file: string): boolean {
  return file.startsWith("console/") && statSync(join(bundles, file)).isFile();
}
