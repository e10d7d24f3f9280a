/**
 * A call from request to answer: the token, the attempts, the deadline.
 */
import type { DescMethod, Message } from "@bufbuild/protobuf";
import { httpRulesOf } from "@wharf/contract/messages";
import { Deadline, pause } from "./deadline.ts";
import { WharfError } from "./errors.ts";
import { onlyReads } from "./rest/route.ts";
import { tokenSource } from "./tokens/fixed.ts";
import type { TokenSource } from "./tokens/source.ts";
import type { Sent, Transport } from "./transport.ts";

export interface CallOptions {
  /** Gives the call up; it rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** How long the call may take, attempts included. Default: the client's. */
  readonly timeoutMs?: number | undefined;
  /** Used in place of the client's own: what to exchange, say. */
  readonly token?: TokenSource | string | undefined;
}

/** What all calls of a client share. */
export interface Calling {
  readonly transport: Transport;
  readonly baseUrl: string;
  readonly authUrl: string;
  readonly token: TokenSource | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly attempts: number;
  readonly onRequest: (sent: Sent) => void;
}

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 10_000;

/** What says that another attempt may go better. */
const PASSING = new Set(["UNAVAILABLE", "RESOURCE_EXHAUSTED"]);

/**
 * Calls a method. Reads are tried again when the server cannot be reached or has too much to do;
 * any call is tried again once with a fresh token when its token was refused, since then nothing
 * was done.
 *
 * @example await performCall(calling, GroupsService.method.getGroup, request, {});
 */
export async function performCall(
  calling: Calling,
  method: DescMethod,
  request: Message,
  options: CallOptions,
): Promise<Message> {
  const deadline = new Deadline(options.timeoutMs ?? calling.timeoutMs, options.signal);
  try {
    return await attemptAll(calling, method, request, options, deadline);
  } catch (thrown) {
    throw deadline.verdict(thrown);
  }
}

async function attemptAll(
  calling: Calling,
  method: DescMethod,
  request: Message,
  options: CallOptions,
  deadline: Deadline,
): Promise<Message> {
  const { signal } = deadline;
  const baseUrl = belongsToAuth(method) ? calling.authUrl : calling.baseUrl;
  const source = options.token === undefined ? calling.token : tokenSource(options.token);
  const ask = { audience: calling.baseUrl, signal };
  let token = (await source?.get(ask))?.token;
  const attempts = onlyReads(method) ? calling.attempts : 1;
  let refreshed = false;
  for (let attempt = 1; ; ) {
    const headers =
      token === undefined
        ? calling.headers
        : { ...calling.headers, authorization: `Bearer ${token}` };
    const timeoutMs = deadline.leftMs;
    try {
      const sending = { method, request, baseUrl, headers, signal, timeoutMs };
      return await calling.transport.send(sending, calling.onRequest);
    } catch (thrown) {
      if (!(thrown instanceof WharfError)) throw thrown;
      if (thrown.code === "UNAUTHENTICATED" && source && !refreshed) {
        refreshed = true;
        const fresh = await freshToken(source, token, ask);
        if (fresh === token) throw thrown;
        token = fresh;
        continue;
      }
      const wait = waitBefore(attempt, thrown);
      if (attempt >= attempts || !PASSING.has(thrown.code) || wait >= deadline.leftMs) throw thrown;
      attempt++;
      await pause(wait, signal);
    }
  }
}

/** Tokens come from the issuer, which can have an address of its own. */
function belongsToAuth(method: DescMethod): boolean {
  return httpRulesOf(method)[0]?.path.startsWith("/sts/") === true;
}

/** When another call has got a new token meanwhile, that one will do. */
async function freshToken(
  source: TokenSource,
  refused: string | undefined,
  ask: { audience: string; signal: AbortSignal },
): Promise<string> {
  const { token } = await source.get(ask);
  return token === refused ? (await source.get({ ...ask, force: true })).token : token;
}

/** Doubles each time; half of it is chance, so that those who failed together do not return together. */
function waitBefore(attempt: number, { retryAfterMs }: WharfError): number {
  if (retryAfterMs !== undefined) return retryAfterMs;
  const longest = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (attempt - 1));
  return longest / 2 + (Math.random() * longest) / 2;
}
