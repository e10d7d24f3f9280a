import { resolve } from "node:path";
import type { LayerLimits } from "./limits.ts";

const MIB = 1024 ** 2;

/** The sources, which a process that runs them reads. A bundle reads nothing. */
const SOURCES = resolve(import.meta.dirname, "../../../../..");

/**
 * The environment of a layer process: Node.js denies it to open files, to connect, and to start processes, threads and
 * native addons. `node:sqlite` ignores these permissions, so the program opens databases in memory only.
 */
export function sandboxed(limits: LayerLimits, runsSources: boolean): NodeJS.ProcessEnv {
  const options = [
    "--permission",
    `--max-old-space-size=${Math.ceil(limits.heapBytes / MIB)}`,
    "--disable-warning=ExperimentalWarning",
    ...(runsSources ? [`"--allow-fs-read=${SOURCES.replaceAll(/["\\]/g, "\\$&")}"`] : []),
  ];
  const { SystemRoot } = process.env;
  // Nothing of this process's secrets; Windows needs the variable.
  return { NODE_OPTIONS: options.join(" "), ...(SystemRoot !== undefined && { SystemRoot }) };
}
