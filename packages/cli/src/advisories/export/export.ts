import { randomUUID } from "node:crypto";
import { createWriteStream, existsSync, mkdirSync, statSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Readable, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Run } from "../../command/types.ts";
import type { Context } from "../../context.ts";
import { usageError } from "../../errors.ts";
import type { Step } from "../../progress.ts";
import { resolvePlace } from "../../resolve/groups.ts";
import type { exportDefinition, FEEDS } from "./definition.ts";
import { download } from "./download.ts";

type Feed = (typeof FEEDS)[number];

/** Which file of a feed holds all of it, and what it is called where a folder is given. */
const FILES: Readonly<Record<Feed, { path: string; name: string }>> = {
  osv: { path: "osv/all.zip", name: "osv.zip" },
  secdb: { path: "secdb/security.json", name: "security.json" },
  openvex: { path: "openvex/all.json", name: "openvex.json" },
  csaf: { path: "csaf/all.zip", name: "csaf.zip" },
};

export const run: Run<typeof exportDefinition> = async (context, { parent, feed, to }) => {
  const { path, name } = FILES[feed];
  if (to === "-" && name.endsWith(".zip") && context.terminal.isTTY) {
    throw usageError("an archive is not for terminals", "give a file with --to");
  }
  const { uid } = await resolvePlace(context, parent);
  const target = to === "-" ? undefined : fileOf(to, name);
  const bytes = await context.progress("downloading", async (step) => {
    const body = await download(context, `/feeds/${uid}/${path}`);
    return target === undefined
      ? copy(context, body, process.stdout, step)
      : writeWhole(context, body, target, step);
  });
  if (target !== undefined) context.err.note(`wrote ${bytes} bytes to ${target}`);
};

function fileOf(output: string, name: string): string {
  if (output.endsWith("/")) mkdirSync(output, { recursive: true });
  const isFolder = existsSync(output) && statSync(output).isDirectory();
  return isFolder ? join(output, name) : output;
}

/** The file is there when all of it is; until then it has another name, which no other command uses. */
async function writeWhole(
  context: Context,
  body: Readable,
  target: string,
  step: Step,
): Promise<number> {
  const part = join(dirname(target), `.${randomUUID()}.part`);
  try {
    const bytes = await copy(context, body, createWriteStream(part, { flags: "wx" }), step);
    await rename(part, target);
    return bytes;
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}

async function copy(
  { signal }: Context,
  body: Readable,
  target: Writable,
  step: Step,
): Promise<number> {
  let bytes = 0;
  async function* counted(): AsyncGenerator<Uint8Array> {
    for await (const chunk of body) {
      bytes += (chunk as Uint8Array).length;
      step.at(bytes);
      yield chunk as Uint8Array;
    }
  }
  const isStdout = target === process.stdout;
  await pipeline(Readable.from(counted()), target, { signal, end: !isStdout });
  return bytes;
}
