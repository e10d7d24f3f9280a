import { type OutgoingHttpHeaders, request as requestHttp } from "node:http";
import { type RequestOptions, request as requestHttps } from "node:https";
import { isIP } from "node:net";
import { isPublicAddress, publicLookup } from "./addresses.ts";

/** Discovery documents and key sets are a few kilobytes; ten times the largest seen. */
const MOST_BYTES = 256 * 1024;

/** From name look-up to the last byte. */
const MOST_MS = 5_000;

/** Something outside could not be read. The message may be shown: it names no inside. */
export class FetchError extends Error {
  override readonly name = "FetchError";
}

export interface FetchOptions {
  /** Whether the address may be any, TLS or not. */
  readonly anywhere: boolean;
  readonly method?: string;
  readonly headers?: OutgoingHttpHeaders;
}

/**
 * Reads a JSON document from outside: bounded in time and size, no redirects, and unless told
 * otherwise https at public addresses alone.
 *
 * @example const keys = await fetchJson(new URL(jwksUri), { anywhere: false });
 */
export async function fetchJson(
  url: URL,
  { anywhere, ...options }: FetchOptions,
): Promise<unknown> {
  if (!anywhere) refuseHidden(url);
  const text = await fetchText(url, anywhere ? options : { ...options, lookup: publicLookup });
  try {
    return JSON.parse(text);
  } catch {
    throw new FetchError("the answer is not JSON");
  }
}

function refuseHidden(url: URL): void {
  const host = url.hostname.replace(/^\[|\]$/g, "");
  if (url.protocol !== "https:") throw new FetchError("only https is trusted");
  if (isIP(host) !== 0 && !isPublicAddress(host)) throw new FetchError("the address is not public");
}

function fetchText(
  url: URL,
  options: Omit<RequestOptions, "headers"> & { headers?: OutgoingHttpHeaders },
): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const send = url.protocol === "https:" ? requestHttps : requestHttp;
  const headers = { accept: "application/json", ...options.headers };
  const signal = AbortSignal.timeout(MOST_MS);
  const outgoing = send(url, { ...options, headers, signal, agent: false }, (answer) => {
    if (answer.statusCode !== 200) {
      answer.destroy();
      reject(new FetchError(`the answer has status ${answer.statusCode}`));
      return;
    }
    const parts: Buffer[] = [];
    let size = 0;
    answer.on("data", (part: Buffer) => {
      size += part.length;
      parts.push(part);
      if (size > MOST_BYTES) {
        answer.destroy();
        reject(new FetchError("the answer is too large"));
      }
    });
    answer.on("end", () => resolve(Buffer.concat(parts).toString("utf8")));
    answer.on("error", (error) => reject(unreachable(error)));
  });
  outgoing.on("error", (error) => reject(unreachable(error)));
  outgoing.end();
  return promise;
}

function unreachable(cause: Error): FetchError {
  const late = cause.name === "AbortError" || cause.name === "TimeoutError";
  return new FetchError(late ? "it did not answer in time" : "it cannot be reached", { cause });
}
