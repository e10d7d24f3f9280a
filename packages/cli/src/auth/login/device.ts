import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { unauthenticated } from "../../errors.ts";
import { problemOf } from "../../problem.ts";
import type { OAuthAnswer } from "../issuer.ts";
import { refusedLogin } from "../issuer.ts";
import { type LoginOptions, type SessionTokens, tokensOf } from "./person.ts";

const GRANT = "urn:ietf:params:oauth:grant-type:device_code";

/** What RFC 8628 asks for when a server says so, and where it says nothing. */
const SLOWER_SECONDS = 5;
const USUAL_SECONDS = 5;

/**
 * Logs a person in with a browser on another machine: shows a code to type there, and asks the
 * server until that is done (RFC 8628).
 */
export async function deviceLogin(options: LoginOptions): Promise<SessionTokens> {
  const { issuer, context, audience } = options;
  const client = `wharf on ${hostname()}`;
  const form = new URLSearchParams({ client_id: client, audience });
  const asked = await issuer.post("/oauth/device_authorization", form, context.signal);
  if (!asked.ok) throw refusedLogin(asked.description);
  const { device_code: code, expires_in: lifetime, interval } = asked.body;
  show(options, asked.body);
  const end = Date.now() + Number(lifetime) * 1000;
  const poll = new URLSearchParams({
    grant_type: GRANT,
    client_id: client,
    device_code: String(code),
  });
  return context.progress("waiting for you to enter the code", () =>
    pollUntil(options, poll, end, Number(interval ?? USUAL_SECONDS)),
  );
}

function show({ say, provider }: LoginOptions, body: Readonly<Record<string, unknown>>): void {
  const { user_code: code, verification_uri: uri, verification_uri_complete: whole } = body;
  say(`open ${uri} on any machine, and enter this code:\n\n  ${code}\n`);
  if (whole !== undefined) say(`or open ${whole}, and compare`);
  if (provider !== undefined) say(`there, log in with ${provider}`);
}

async function pollUntil(
  { issuer, context: { signal } }: LoginOptions,
  form: URLSearchParams,
  end: number,
  interval: number,
): Promise<SessionTokens> {
  let seconds = interval;
  while (Date.now() < end) {
    await sleep(seconds * 1000, undefined, { signal });
    let answer: OAuthAnswer;
    try {
      answer = await issuer.post("/oauth/token", form, signal);
    } catch (thrown) {
      // The person may be typing while the network takes a rest.
      if (problemOf(thrown).code !== "UNAVAILABLE") throw thrown;
      seconds += SLOWER_SECONDS;
      continue;
    }
    if (answer.ok) return tokensOf(answer.body);
    if (answer.error === "slow_down") seconds += SLOWER_SECONDS;
    else if (answer.error === "expired_token") break;
    else if (answer.error !== "authorization_pending") throw refusedLogin(answer.description);
  }
  throw unauthenticated("nobody entered the code in time");
}
