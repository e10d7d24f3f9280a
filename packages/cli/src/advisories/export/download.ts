import { Readable } from "node:stream";
import type { ReadableStream } from "node:stream/web";
import { tokenSource } from "../../auth/source.ts";
import type { Context } from "../../context.ts";
import { version } from "../../version.ts";

/** What the server answers at a path that is not a method of the API, as it comes. */
export async function download(context: Context, path: string): Promise<Readable> {
  const { settings, environment, err, signal } = context;
  const { token } = await tokenSource(settings, environment, err).get({ signal });
  const url = `${settings.api}${path}`;
  const begun = performance.now();
  const response = await fetch(url, {
    headers: { authorization: `Bearer ${token}`, "user-agent": `wharf/${version()}` },
    // What we send is for this server, not for where it may point to.
    redirect: "error",
    signal,
  });
  const ms = (performance.now() - begun).toFixed(0);
  err.detail(`GET ${url} → ${response.status} in ${ms} ms (Authorization: Bearer ****)`);
  if (!response.ok || response.body === null) throw await refusal(response);
  return Readable.fromWeb(response.body as ReadableStream);
}

async function refusal(response: Response): Promise<Error> {
  const { codeOfNumber, wharfError } = await import("@wharf/client");
  const body = (await response.json().catch(() => ({}))) as { code?: number; message?: string };
  const code = codeOfNumber(body.code ?? -1) ?? "UNKNOWN";
  return wharfError(code, body.message ?? `the server answered with ${response.status}`);
}
