import { hash, randomBytes } from "node:crypto";
import { failed } from "../../errors.ts";
import { problemOf } from "../../problem.ts";
import { refusedLogin } from "../issuer.ts";
import { Loopback } from "./loopback.ts";
import { openBrowser } from "./open-browser.ts";
import { type LoginOptions, type SessionTokens, tokensOf } from "./person.ts";

/** As long as the server waits for the person. */
const PATIENCE_MS = 15 * 60_000;

/**
 * Logs a person in with the browser on this machine: a one-time code comes back to an address of
 * this machine, and is exchanged for tokens with a proof that it was we who asked (PKCE).
 */
export async function browserLogin(options: LoginOptions): Promise<SessionTokens> {
  const loopback = await Loopback.start();
  const verifier = randomBytes(32).toString("base64url");
  const patience = AbortSignal.timeout(PATIENCE_MS);
  try {
    show(options, addressOf(options, loopback, verifier));
    const signal = AbortSignal.any([options.context.signal, patience]);
    const { query, reply } = await options.context.progress("waiting for your browser", () =>
      loopback.arrival(signal),
    );
    try {
      const tokens = await redeem(options, loopback, verifier, query);
      await reply("You are logged in", "Go back to your terminal.");
      return tokens;
    } catch (thrown) {
      await reply("The login did not work", problemOf(thrown).message);
      throw thrown;
    }
  } catch (thrown) {
    if (thrown !== patience.reason) throw thrown;
    throw failed("nobody logged in within a quarter of an hour");
  } finally {
    loopback.close();
  }
}

function addressOf(options: LoginOptions, loopback: Loopback, verifier: string): string {
  const { issuer, audience, provider, invite } = options;
  const query = new URLSearchParams({
    response_type: "code",
    client_id: "wharf",
    redirect_uri: loopback.redirectUri,
    code_challenge: hash("sha256", verifier, "base64url"),
    code_challenge_method: "S256",
    state: loopback.state,
    audience,
    ...(provider === undefined ? {} : { idp_id: provider }),
    ...(invite === undefined ? {} : { invite }),
  });
  const url = `${issuer.url}/oauth?${query}`;
  return invite === undefined ? url : loopback.leadOn(url);
}

function show({ context, browser, say }: LoginOptions, url: string): void {
  if (!browser) {
    say(`open this address in a browser on this machine:\n\n  ${url}\n`);
    return;
  }
  say(`opening your browser; if nothing happens, open this address on this machine:\n\n  ${url}\n`);
  openBrowser(url, context.environment, () =>
    say("no browser could be opened; --headless logs in with one on another machine"),
  );
}

async function redeem(
  { issuer, context }: LoginOptions,
  { redirectUri }: Loopback,
  verifier: string,
  query: URLSearchParams,
): Promise<SessionTokens> {
  // An answer of another server must not be taken for one of this (RFC 9207).
  if (query.get("iss") !== issuer.url) throw refusedLogin("the answer came from another server");
  const error = query.get("error");
  if (error !== null) throw refusedLogin(query.get("error_description") || error);
  const form = new URLSearchParams({
    grant_type: "authorization_code",
    client_id: "wharf",
    code: query.get("code") ?? "",
    code_verifier: verifier,
    redirect_uri: redirectUri,
  });
  const answer = await issuer.post("/oauth/token", form, context.signal);
  if (!answer.ok) throw refusedLogin(answer.description);
  return tokensOf(answer.body);
}
