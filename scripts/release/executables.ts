/**
 * Single-file executables: Node.js with the bundles inside. Built on one architecture for all, so without code caches.
 */
import { chmodSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { build } from "esbuild";
import { commonOptions } from "../bundles.ts";
import { ROOT, tool } from "../step.ts";
import { type Architecture, nodeFor } from "./node-runtimes.ts";

/** Writes the executable for an architecture of Linux from the bundles in a folder. */
export async function writeExecutable(
  architecture: Architecture,
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
      main,
      output,
      executable: nodeFor(architecture),
      disableExperimentalSEAWarning: true,
      assets: Object.fromEntries(
        assets.map((file) => [relative(bundles, join(bundles, file)), join(bundles, file)]),
      ),
    }),
  );
  await tool("node", "--build-sea", config);
  chmodSync(output, 0o755);
}

/** The files of the web console, which the server reads from its assets. */
function isConsole(bundles: string, file: string): boolean {
  return file.startsWith("console/") && statSync(join(bundles, file)).isFile();
}
