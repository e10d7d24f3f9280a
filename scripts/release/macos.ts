/**
 * Archives for macOS. Adding the bundles to Node.js would break its signature, and Macs with Apple silicon end programs
 * without a valid one: so its program stays as it is, beside the bundles.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Entries, filesOf, layerOf } from "../image/entry.ts";
import { nodeFor, type Platform } from "./node-runtimes.ts";

const LAUNCHER = join(import.meta.dirname, "launcher.sh");

/** The names under which the launcher is called, beside `wharf`. */
const HELPERS = ["docker-credential-wharf", "wharf-credential-provider"];

const IN_ARCHIVE = /^(?:bin|completions|dist|man)\/|^(?:LICENSE|THIRD-PARTY-LICENSES)$/;

/** A .tar.gz with one folder, from the folder of the command's package. */
export async function macosArchive(
  platform: Platform,
  { name, staged, seconds }: { name: string; staged: string; seconds: number },
): Promise<Buffer> {
  const node = nodeFor(platform);
  const content = readFileSync(LAUNCHER);
  const entries: Entries = new Map([[`${name}/wharf`, { type: "file", content, mode: 0o755 }]]);
  for (const helper of HELPERS)
    entries.set(`${name}/${helper}`, { type: "symlink", target: "wharf" });
  for (const [path, file, { mode }] of filesOf(staged, IN_ARCHIVE)) {
    entries.set(`${name}/lib/${path}`, { type: "file", content: file, mode });
  }
  entries.set(`${name}/lib/node`, { type: "file", content: readFileSync(node), mode: 0o755 });
  const license = readFileSync(join(node, "../../LICENSE"));
  entries.set(`${name}/lib/NODE-LICENSE`, { type: "file", content: license });
  return (await layerOf(entries, seconds)).blob;
}
