import { type OutgoingHttpHeaders, request as requestHttp } from "node:http";
import type { RequestOptions } from "node:https";
import { isIP } from "node:net";
import { isPublicAddress, publicLookup } from "./ip-ranges.ts";
import { https } from "./lazy-builtins.ts";

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
  /** Sent as it is. */
  readonly body?: string;
}

/** What someone outside answered. */
export interface FetchAnswer {
  readonly status: number;
  /** Undefined when it is not JSON. */
  readonly json: unknown;
}

/**
 * Reads a JSON document from outside: bounded in time and size, no redirects, and unless told
 * otherwise https at public addresses alone.
 */
export async function fetchJson(url: URL, options: FetchOptions): Promise<unknown> {
  const { json } = await fetchAs(url, options, (status) => status === 200);
  if (json === undefined) throw new FetchError("the answer is not JSON");
  return json;
}

/** As fetchJson, for those whose refusals say why: any status is an answer. */
export function fetchAnswer(url: URL, options: FetchOptions): Promise<FetchAnswer> {
  return fetchAs(url, options, () => true);
}

async function fetchAs(
  url: URL,
  { anywhere, body, ...options }: FetchOptions,
  isAnswer: (status: number) => boolean,
): Promise<FetchAnswer> {
  if (!anywhere) refuseHidden(url);
  const reachable = anywhere ? options : { ...options, lookup: publicLookup };
  const { status, text } = await fetchText(url, reachable, body, isAnswer);
  try {
    return { status, json: JSON.parse(text) };
  } catch {
    return { status, json: undefined };
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
  body: string | undefined,
  isAnswer: (status: number) => boolean,
): Promise<{ status: number; text: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; text: string }>();
  const send = url.protocol === "https:" ? https().request : requestHttp;
  const headers = { accept: "application/json", ...options.headers };
  const signal = AbortSignal.timeout(MOST_MS);
  const outgoing = send(url, { ...options, headers, signal, agent: false }, (answer) => {
    const { statusCode: status = 0 } = answer;
    if (!isAnswer(status)) {
      answer.destroy();
      reject(new FetchError(`the answer has status ${status}`));
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
    answer.on("end", () => resolve({ status, text: Buffer.concat(parts).toString("utf8") }));
    answer.on("error", (error) => reject(unreachable(error)));
  });
  outgoing.on("error", (error) => reject(unreachable(error)));
  outgoing.end(body);
  return promise;
}

function unreachable(cause: Error): FetchError {
  const late = cause.name === "AbortError" || cause.name === "TimeoutError";
  return new FetchError(late ? "it did not answer in time" : "it cannot be reached", { cause });
}
