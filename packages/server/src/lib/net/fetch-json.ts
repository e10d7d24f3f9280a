import { type OutgoingHttpHeaders, request as requestHttp } from "node:http";
import type { RequestOptions } from "node:https";
import { isIP } from "node:net";
import { https } from "../runtime/lazy-builtins.ts";
import { HOST_LOOKUP } from "./host-lookup.ts";
import { isPublicAddress } from "./ip-ranges.ts";

/** Discovery documents and key sets are a few kilobytes; this is ten times the largest seen. */
const MAX_BYTES = 256 * 1024;

/** From the DNS lookup to the last byte. */
const TIMEOUT_MS = 5_000;

/** A document could not be fetched. The message may be shown: it contains nothing internal. */
export class FetchError extends Error {
  override readonly name = "FetchError";
}

export interface FetchOptions {
  /** Whether any address is allowed, also private ones and without TLS. */
  readonly anywhere: boolean;
  readonly method?: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: string;
}

/** The response of an external server. */
export interface FetchResponse {
  readonly status: number;
  /** Undefined if the body is not JSON. */
  readonly json: unknown;
}

/**
 * Fetches a JSON document from an external server: bounded in time and size, without redirects, and by
 * default only over HTTPS from public addresses, against server-side request forgery.
 */
export async function fetchJson(url: URL, options: FetchOptions): Promise<unknown> {
  const { json } = await fetchAs(url, options, (status) => status === 200);
  if (json === undefined) throw new FetchError("the response is not JSON");
  return json;
}

/** Like fetchJson, with any status: for servers whose error responses give the reason. */
export function fetchResponse(url: URL, options: FetchOptions): Promise<FetchResponse> {
  return fetchAs(url, options, () => true);
}

async function fetchAs(
  url: URL,
  { anywhere, body, ...options }: FetchOptions,
  isAccepted: (status: number) => boolean,
): Promise<FetchResponse> {
  if (!anywhere) rejectPrivate(url);
  const lookup = anywhere ? HOST_LOOKUP.anywhere : HOST_LOOKUP.publicOnly;
  const reachable = { ...options, lookup };
  const { status, text } = await fetchText(url, reachable, body, isAccepted);
  try {
    return { status, json: JSON.parse(text) };
  } catch {
    return { status, json: undefined };
  }
}

/** Throws unless a URL is safe to fetch: https, and no address that is not public. */
export function rejectPrivate(url: URL): void {
  const host = url.hostname.replace(/^\[|\]$/g, "");
  if (url.protocol !== "https:") throw new FetchError("only https is trusted");
  if (isIP(host) !== 0 && !isPublicAddress(host)) throw new FetchError("the address is not public");
}

function fetchText(
  url: URL,
  options: Omit<RequestOptions, "headers"> & { headers?: OutgoingHttpHeaders },
  body: string | undefined,
  isAccepted: (status: number) => boolean,
): Promise<{ status: number; text: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; text: string }>();
  const send = url.protocol === "https:" ? https().request : requestHttp;
  const headers = { accept: "application/json", ...options.headers };
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const outgoing = send(url, { ...options, headers, signal, agent: false }, (response) => {
    const { statusCode: status = 0 } = response;
    if (!isAccepted(status)) {
      response.destroy();
      reject(new FetchError(`the response has status ${status}`));
      return;
    }
    const chunks: Buffer[] = [];
    let size = 0;
    response.on("data", (chunk: Buffer) => {
      size += chunk.length;
      chunks.push(chunk);
      if (size > MAX_BYTES) {
        response.destroy();
        reject(new FetchError("the response is too large"));
      }
    });
    response.on("end", () => resolve({ status, text: Buffer.concat(chunks).toString("utf8") }));
    response.on("error", (error) => reject(unreachable(error)));
  });
  outgoing.on("error", (error) => reject(unreachable(error)));
  outgoing.end(body);
  return promise;
}

function unreachable(cause: Error): FetchError {
  const isTimeout = cause.name === "AbortError" || cause.name === "TimeoutError";
  return new FetchError(isTimeout ? "it did not respond in time" : "it cannot be reached", {
    cause,
  });
}
