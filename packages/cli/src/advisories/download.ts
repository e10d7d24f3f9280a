import { randomUUID } from "node:crypto";
import { createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Readable, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream } from "node:stream/web";
import { tokenSource } from "../auth/source.ts";
import type { Context } from "../context.ts";
import type { Step } from "../progress.ts";
import { version } from "../version.ts";

/** Writes a temporary file and renames it, so that the target is complete or absent. */
export async function writeAtomically(
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

export async function copy(
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
export async function download(context: Context, path: string): Promise<Readable> {
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
