import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { unauthenticated } from "../../errors.ts";
import { problemOf } from "../../problem.ts";
import { type OAuthResponse, signInRejected } from "../issuer.ts";
import { type SessionTokens, type SignInOptions, tokensOf } from "./person.ts";

const GRANT_TYPE = "urn:ietf:params:oauth:grant-type:device_code";

/** The default interval of RFC 8628, and the increase after `slow_down`. */
const DEFAULT_INTERVAL_S = 5;
const SLOW_DOWN_S = 5;

/** Signs a person in with a browser on another machine (device flow, RFC 8628). */
export async function deviceSignIn(options: SignInOptions): Promise<SessionTokens> {
  const { issuer, context, audience } = options;
  const client = `wharf on ${hostname()}`;
  const form = new URLSearchParams({ client_id: client, audience });
  const device = await issuer.post("/oauth/device_authorization", form, context.signal);
  if (!device.ok) throw signInRejected(device.description);
  const { device_code: code, expires_in: lifetime, interval } = device.body;
  showCode(options, device.body);
  const deadline = Date.now() + Number(lifetime) * 1000;
  const poll = new URLSearchParams({
    grant_type: GRANT_TYPE,
    client_id: client,
    device_code: String(code),
  });
  return context.progress("waiting for you to enter the code", () =>
    pollUntil(options, poll, deadline, Number(interval ?? DEFAULT_INTERVAL_S)),
  );
}

function showCode({ say, provider }: SignInOptions, body: Readonly<Record<string, unknown>>): void {
  const { user_code: code, verification_uri: uri, verification_uri_complete: complete } = body;
  say(`open ${uri} on any machine, and enter this code:\n\n  ${code}\n`);
  if (complete !== undefined) say(`or open ${complete}, and compare the code`);
  if (provider !== undefined) say(`there, sign in with ${provider}`);
}

async function pollUntil(
  { issuer, context: { signal } }: SignInOptions,
  form: URLSearchParams,
  deadline: number,
  interval: number,
): Promise<SessionTokens> {
  let seconds = interval;
  while (Date.now() < deadline) {
    await sleep(seconds * 1000, undefined, { signal });
    let response: OAuthResponse;
    try {
      response = await issuer.post("/oauth/token", form, signal);
    } catch (thrown) {
      // Tolerates network failures while the person types.
      if (problemOf(thrown).code !== "UNAVAILABLE") throw thrown;
      seconds += SLOW_DOWN_S;
      continue;
    }
    if (response.ok) return tokensOf(response.body);
    if (response.error === "slow_down") seconds += SLOW_DOWN_S;
    else if (response.error === "expired_token") break;
    else if (response.error !== "authorization_pending") {
      throw signInRejected(response.description);
    }
  }
  throw unauthenticated("the code expired before it was entered");
}
