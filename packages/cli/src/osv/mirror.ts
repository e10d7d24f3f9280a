import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { download, writeAtomically } from "../advisories/download.ts";
import type { Run } from "../command/types.ts";
import { usageError } from "../errors.ts";
import { resolveParent } from "../resolve/groups.ts";
import type { mirrorDefinition } from "./commands.ts";

/** The folder that osv-scanner adds to that of its databases. */
const SCANNER = "osv-scanner";

export const run: Run<typeof mirrorDefinition> = async (context, { dir, parent, ecosystem }) => {
  const { uid } = await resolveParent(context, parent);
  const feed = `/feeds/${uid}/osv`;
  const listed = (await text(await download(context, `${feed}/ecosystems.txt`))).split("\n");
  const names = ecosystem.length > 0 ? ecosystem : listed.filter((name) => name !== "");
  for (const name of names) {
    if (!listed.includes(name)) {
      throw usageError(`the group has no records of ${name}`, `it has: ${listed.join(" ").trim()}`);
    }
  }
  for (const name of names) {
    if (!isFolder(name))
      throw new Error(`the server named an ecosystem that is no folder: ${name}`);
    const folder = join(dir, SCANNER, name);
    mkdirSync(folder, { recursive: true });
    const file = join(folder, "all.zip");
    const bytes = await context.progress(`downloading ${name}`, async (step) => {
      const path = `${feed}/${encodeURIComponent(name)}/all.zip`;
      return writeAtomically(context, await download(context, path), file, step);
    });
    context.err.note(`wrote ${bytes} bytes to ${file}`);
  }
  if (names.length === 0) context.err.note("the group has no records of any ecosystem");
};

/** Names come from the server, and must not lead out of the folder. */
function isFolder(name: string): boolean {
  return !/[/\\\0]|^\.+$/.test(name);
}
