/** Performs calls: tokens, retries and deadlines. */
import type { DescMethod, Message } from "@bufbuild/protobuf";
import { httpRulesOf, isCreate } from "@wharf/contract/messages";
import { Deadline, pause } from "./deadline.ts";
import { WharfError } from "./errors.ts";
import { isReadOnly } from "./rest/route.ts";
import { tokenSource } from "./tokens/fixed.ts";
import type { TokenSource } from "./tokens/source.ts";
import type { Sent, Transport } from "./transport.ts";

export interface CallOptions {
  /** Cancels the call, which rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** The timeout of the call, retries included. Default: the client's. */
  readonly timeoutMs?: number | undefined;
  /** Replaces the client's token, for example with one to exchange. */
  readonly token?: TokenSource | string | undefined;
  /**
   * The idempotency key of a create: up to 255 visible ASCII characters. The server executes creates with the same key
   * once, and answers all of them alike, for a day. Default: a random key for each call, shared by its retries.
   */
  readonly idempotencyKey?: string | undefined;
  /**
   * Only tries a write: the server executes it and rolls it back. The response is the one that the call would get, without
   * secrets. Methods that cannot be tried reject it with INVALID_ARGUMENT.
   */
  readonly dryRun?: boolean | undefined;
}

/** The state that all calls of a client share. */
export interface CallContext {
  readonly transport: Transport;
  readonly baseUrl: string;
  readonly authUrl: string;
  readonly token: TokenSource | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly attempts: number;
  readonly onRequest: (sent: Sent) => void;
}

const MIN_BACKOFF_MS = 100;
const MAX_BACKOFF_MS = 10_000;

/** The random bytes of an idempotency key. */
const KEY_BYTES = 16;

/**
 * Calls a method. Reads, and creates with their idempotency key, are retried if the server is unreachable or overloaded.
 * Any call is retried once with a new token if its token was rejected, because it had no effect then.
 *
 * @example await performCall(context, GroupsService.method.getGroup, request, {});
 */
export async function performCall(
  context: CallContext,
  method: DescMethod,
  request: Message,
  options: CallOptions,
): Promise<Message> {
  const deadline = new Deadline(options.timeoutMs ?? context.timeoutMs, options.signal);
  try {
    return await attemptAll(context, method, request, options, deadline);
  } catch (thrown) {
    throw deadline.errorFor(thrown);
  }
}

async function attemptAll(
  context: CallContext,
  method: DescMethod,
  request: Message,
  options: CallOptions,
  deadline: Deadline,
): Promise<Message> {
  const { signal } = deadline;
  const baseUrl = isTokenExchange(method) ? context.authUrl : context.baseUrl;
  const source = options.token === undefined ? context.token : tokenSource(options.token);
  const ask = { audience: context.baseUrl, signal };
  let token = (await source?.get(ask))?.token;
  const key = isCreate(method) ? (options.idempotencyKey ?? newKey()) : undefined;
  const attempts = isReadOnly(method) || key !== undefined ? context.attempts : 1;
  const common = {
    ...context.headers,
    ...(key !== undefined && { "idempotency-key": key }),
    ...(options.dryRun && { "wharf-dry-run": "true" }),
  };
  let refreshed = false;
  for (let attempt = 1; ; ) {
    const headers = token === undefined ? common : { ...common, authorization: `Bearer ${token}` };
    const timeoutMs = deadline.leftMs;
    try {
      const sending = { method, request, baseUrl, headers, signal, timeoutMs };
      return await context.transport.send(sending, context.onRequest);
    } catch (thrown) {
      if (!(thrown instanceof WharfError)) throw thrown;
      if (thrown.code === "UNAUTHENTICATED" && source && !refreshed) {
        refreshed = true;
        const fresh = await freshToken(source, token, ask);
        if (fresh === token) throw thrown;
        token = fresh;
        continue;
      }
      const wait = backoffMs(attempt, thrown);
      const isTransient = key === undefined ? isOverloaded(thrown) : mayRepeat(thrown);
      if (attempt >= attempts || !isTransient || wait >= deadline.leftMs) throw thrown;
      attempt++;
      await pause(wait, signal);
    }
  }
}

function isOverloaded({ code }: WharfError): boolean {
  return code === "UNAVAILABLE" || code === "RESOURCE_EXHAUSTED";
}

/**
 * Whether a create with a key may succeed if it is sent again. Without Retry-After, RESOURCE_EXHAUSTED is about the size
 * of the request. If the server does not know whether it has committed the create, its key tells.
 */
function mayRepeat({ code, reason, retryAfterMs }: WharfError): boolean {
  if (code === "RESOURCE_EXHAUSTED") return retryAfterMs !== undefined;
  return code === "UNAVAILABLE" || reason === "COMMIT_OUTCOME_UNKNOWN";
}

/** Random, in hexadecimal digits. Pages without TLS have no randomUUID. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(KEY_BYTES));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Tokens are exchanged at the issuer, which can have another URL. */
function isTokenExchange(method: DescMethod): boolean {
  return httpRulesOf(method)[0]?.path.startsWith("/sts/") === true;
}

/** A token that another call has obtained meanwhile, or a new one. */
async function freshToken(
  source: TokenSource,
  rejected: string | undefined,
  ask: { audience: string; signal: AbortSignal },
): Promise<string> {
  const { token } = await source.get(ask);
  return token === rejected ? (await source.get({ ...ask, force: true })).token : token;
}

/** Exponential backoff with 50% jitter, unless the server sets `Retry-After`. */
function backoffMs(attempt: number, { retryAfterMs }: WharfError): number {
  if (retryAfterMs !== undefined) return retryAfterMs;
  const max = Math.min(MAX_BACKOFF_MS, MIN_BACKOFF_MS * 2 ** (attempt - 1));
  return max / 2 + (Math.random() * max) / 2;
}

/**
 * Calls a method that streams its response. The default is no timeout. A stream that ends with an error is not retried:
 * the caller knows where to continue.
 *
 * @example for await (const event of streamCall(context, EventsService.method.watchEvents, request, {})) …
 */
export async function* streamCall(
  { transport, token: own, baseUrl, headers: common, onRequest }: CallContext,
  method: DescMethod,
  request: Message,
  { signal: callerSignal, timeoutMs, token: other }: CallOptions,
): AsyncGenerator<Message, void, undefined> {
  if (transport.stream === undefined) throw new TypeError("the transport does not support streams");
  const leaving = new AbortController();
  const timer = timeoutMs === undefined ? [] : [AbortSignal.timeout(timeoutMs)];
  const signal = AbortSignal.any([
    leaving.signal,
    ...(callerSignal ? [callerSignal] : []),
    ...timer,
  ]);
  const source = other === undefined ? own : tokenSource(other);
  const token = (await source?.get({ audience: baseUrl, signal }))?.token;
  const headers = token === undefined ? common : { ...common, authorization: `Bearer ${token}` };
  try {
    yield* transport.stream({ method, request, baseUrl, headers, signal }, onRequest);
  } finally {
    leaving.abort();
  }
}
