import { spawn } from "node:child_process";
import { hash, randomBytes } from "node:crypto";
import type { Context } from "../../context.ts";
import { failed, unauthenticated } from "../../errors.ts";
import { problemOf } from "../../problem.ts";
import type { Environment } from "../../settings.ts";
import { signInRejected } from "../issuer.ts";
import { Loopback } from "./loopback.ts";
import { type SessionTokens, type SignInOptions, tokensOf } from "./person.ts";

/** The server's limit. */
const TIMEOUT_MS = 15 * 60_000;

/** Rejects at once where nobody could sign in: without a terminal, in a CI job or where no browser can be opened. */
export function requireBrowser({ terminal, environment }: Context): void {
  if (terminal.isInteractive) return;
  const canOpen = browserCommand("", environment, process.platform) !== undefined;
  if (environment.CI || !canOpen) throw nobodySignsIn();
}

function nobodySignsIn(): Error {
  return unauthenticated(
    "nobody can sign in with a browser here: there is no terminal, and no browser can be opened",
    "give --identity to sign in with the OIDC token of the platform, or set WHARF_TOKEN; with --headless, a person signs in with a browser on another machine",
  );
}

/**
 * Signs a person in with a browser on this machine: the authorization code flow with PKCE and a
 * loopback redirect (RFC 8252).
 */
export async function browserSignIn(options: SignInOptions): Promise<SessionTokens> {
  const loopback = await Loopback.start();
  const verifier = randomBytes(32).toString("base64url");
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  const unopened = new AbortController();
  try {
    open(options, authorizationUrl(options, loopback, verifier), unopened);
    const signal = AbortSignal.any([options.context.signal, timeout, unopened.signal]);
    const { query, reply } = await options.context.progress("waiting for your browser", () =>
      loopback.callback(signal),
    );
    try {
      const tokens = await redeemCode(options, loopback, verifier, query);
      await reply("You are signed in", "Return to your terminal.");
      return tokens;
    } catch (thrown) {
      await reply("Sign-in failed", problemOf(thrown).message);
      throw thrown;
    }
  } catch (thrown) {
    if (thrown !== timeout.reason) throw thrown;
    throw failed("sign-in timed out after 15 minutes");
  } finally {
    loopback.close();
  }
}

function authorizationUrl(options: SignInOptions, loopback: Loopback, verifier: string): string {
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
  const url = `${browserOrigin(issuer.url)}/oauth?${query}`;
  return invite === undefined ? url : loopback.hideUrl(url);
}

/** This machine by its name: browsers have no passkeys for IP addresses. */
export function browserOrigin(issuer: string): string {
  const url = new URL(issuer);
  if (/^(127(\.\d+){3}|\[::1\])$/.test(url.hostname)) url.hostname = "localhost";
  return url.href.replace(/\/+$/, "");
}

/** Opens the browser, or asks for it. If that fails and nobody reads the request, the sign-in is aborted. */
function open(
  { context, browser, say }: SignInOptions,
  url: string,
  unopened: AbortController,
): void {
  if (!browser) {
    say(`open this URL in a browser on this machine:\n\n  ${url}\n`);
    return;
  }
  say(`opening your browser; if it does not open, visit this URL on this machine:\n\n  ${url}\n`);
  openBrowser(url, context.environment, () => {
    if (!context.terminal.isInteractive) unopened.abort(nobodySignsIn());
    else say("no browser could be opened; --headless signs in with a browser on another machine");
  });
}

async function redeemCode(
  { issuer, context }: SignInOptions,
  { redirectUri }: Loopback,
  verifier: string,
  query: URLSearchParams,
): Promise<SessionTokens> {
  // Detects a mix-up with another server (RFC 9207).
  if (query.get("iss") !== issuer.url) {
    throw signInRejected("the response came from another server");
  }
  const error = query.get("error");
  if (error !== null) throw signInRejected(query.get("error_description") || error);
  const form = new URLSearchParams({
    grant_type: "authorization_code",
    client_id: "wharf",
    code: query.get("code") ?? "",
    code_verifier: verifier,
    redirect_uri: redirectUri,
  });
  const response = await issuer.post("/oauth/token", form, context.signal);
  if (!response.ok) throw signInRejected(response.description);
  return tokensOf(response.body);
}

/**
 * The command that opens a URL: $BROWSER (with or without %s for the URL), else the platform's
 * command. Undefined without a display.
 */
export function browserCommand(
  url: string,
  environment: Environment,
  platform: NodeJS.Platform,
): [program: string, ...args: string[]] | undefined {
  const [first = ""] = (environment.BROWSER ?? "").split(platform === "win32" ? ";" : ":");
  const [program, ...args] = first.split(/\s+/).filter(Boolean);
  if (program !== undefined) {
    const named = args.some((arg) => arg.includes("%s"));
    return [program, ...(named ? args.map((arg) => arg.replace("%s", url)) : [...args, url])];
  }
  if (platform === "darwin") return ["open", url];
  // `start` would interpret the & of a URL.
  if (platform === "win32") return ["rundll32", "url.dll,FileProtocolHandler", url];
  const hasDisplay =
    environment.DISPLAY || environment.WAYLAND_DISPLAY || environment.WSL_DISTRO_NAME;
  return hasDisplay ? ["xdg-open", url] : undefined;
}

/** Opens a URL in the browser, and calls `failed` if that does not work. */
export function openBrowser(url: string, environment: Environment, failed: () => void): void {
  const command = browserCommand(url, environment, process.platform);
  if (command === undefined) {
    failed();
    return;
  }
  const [program, ...args] = command;
  const child = spawn(program, args, { stdio: "ignore", detached: true });
  child.once("error", failed);
  child.once("exit", (code) => code === 0 || failed());
  // The browser outlives this process.
  child.unref();
}
