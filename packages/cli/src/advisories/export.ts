import { existsSync, mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Run } from "../command/types.ts";
import { usageError } from "../errors.ts";
import { resolveParent } from "../resolve/groups.ts";
import type { exportDefinition, FEEDS } from "./commands.ts";
import { copy, download, writeAtomically } from "./download.ts";

type Feed = (typeof FEEDS)[number];

/** The URL path of each complete feed, and the default file name. */
const FILES: Readonly<Record<Feed, { path: string; name: string }>> = {
  osv: { path: "osv/all.zip", name: "osv.zip" },
  secdb: { path: "secdb/security.json", name: "security.json" },
  openvex: { path: "openvex/all.json", name: "openvex.json" },
  csaf: { path: "csaf/all.zip", name: "csaf.zip" },
};

export const run: Run<typeof exportDefinition> = async (context, { parent, feed, to }) => {
  const { path, name } = FILES[feed];
  if (to === "-" && name.endsWith(".zip") && context.terminal.isTTY) {
    throw usageError("refusing to write an archive to a terminal", "give a file with --to");
  }
  const { uid } = await resolveParent(context, parent);
  const target = to === "-" ? undefined : fileOf(to, name);
  const bytes = await context.progress("downloading", async (step) => {
    const body = await download(context, `/feeds/${uid}/${path}`);
    return target === undefined
      ? copy(context, body, process.stdout, step)
      : writeAtomically(context, body, target, step);
  });
  if (target !== undefined) context.err.note(`wrote ${bytes} bytes to ${target}`);
};

function fileOf(output: string, name: string): string {
  if (output.endsWith("/")) mkdirSync(output, { recursive: true });
  const isDirectory = existsSync(output) && statSync(output).isDirectory();
  return isDirectory ? join(output, name) : output;
}
