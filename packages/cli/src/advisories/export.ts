import { randomUUID } from "node:crypto";
import { createWriteStream, existsSync, mkdirSync, statSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Readable, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream } from "node:stream/web";
import { tokenSource } from "../auth/source.ts";
import type { Run } from "../command/types.ts";
import type { Context } from "../context.ts";
import { usageError } from "../errors.ts";
import type { Step } from "../progress.ts";
import { resolveParent } from "../resolve/groups.ts";
import { version } from "../version.ts";
import type { exportDefinition, FEEDS } from "./commands.ts";

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

/** Writes a temporary file and renames it, so that the target is complete or absent. */
async function writeAtomically(
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

/** Downloads a path that is not a method of the API. */
async function download(context: Context, path: string): Promise<Readable> {
  const { settings, environment, err, signal } = context;
  const { token } = await tokenSource(settings, environment, err).get({ signal });
  const url = `${settings.api}${path}`;
  const started = performance.now();
  const response = await fetch(url, {
    headers: { authorization: `Bearer ${token}`, "user-agent": `wharf/${version()}` },
    // The token must not be sent to where a redirect points.
    redirect: "error",
    signal,
  });
  const ms = (performance.now() - started).toFixed(0);
  err.detail(`GET ${url} → ${response.status} in ${ms} ms (Authorization: Bearer ****)`);
  if (!response.ok || response.body === null) throw await errorOf(response);
  return Readable.fromWeb(response.body as ReadableStream);
}

async function errorOf(response: Response): Promise<Error> {
  const { codeOfNumber, wharfError } = await import("@wharf/client");
  const body = (await response.json().catch(() => ({}))) as { code?: number; message?: string };
  const code = codeOfNumber(body.code ?? -1) ?? "UNKNOWN";
  return wharfError(code, body.message ?? `the server responded with ${response.status}`);
}
