import type { Context } from "../../context.ts";
import { failed } from "../../errors.ts";
import { problemOf } from "../../problem.ts";
import type { KeptToken, Login } from "../cache/login.ts";
import { Logins } from "../cache/logins.ts";
import { claimsOf, expiryOf } from "../claims.ts";
import { checkIssuer, type Issuer, issuerAt } from "../issuer.ts";

/** What a person's login goes by. */
export interface LoginOptions {
  readonly context: Context;
  readonly issuer: Issuer;
  /** Whom the first token is for; others come of the session. */
  readonly audience: string;
  /** The uid of an identity provider, or the name of an organization. */
  readonly provider: string | undefined;
  readonly invite: string | undefined;
  /** Whether to open a browser, or only to tell the address. */
  readonly browser: boolean;
  /** Tells what cannot be done without, so also with --quiet. */
  say(text: string): void;
}

/** What a person gets at the end of a login. Some sessions cannot be refreshed. */
export interface SessionTokens {
  readonly access: KeptToken;
  readonly refresh: string | undefined;
}

export interface PersonArgs
  extends Pick<LoginOptions, "audience" | "provider" | "invite" | "browser"> {
  readonly headless: boolean;
}

/** Logs a person in, and keeps what comes of it as the current login. */
export async function logInPerson(context: Context, args: PersonArgs): Promise<Login> {
  const { settings, environment, err, signal } = context;
  const logins = Logins.of(environment, err.warn);
  // Before anyone types a password in vain.
  logins.prepare(settings.issuer);
  const issuer = issuerAt(settings.issuer, err);
  await checkIssuer(issuer.url, signal);
  const options: LoginOptions = { ...args, context, issuer, say: (text) => say(context, text) };
  const tokens = await (args.headless
    ? (await import("./device.ts")).deviceLogin(options)
    : (await import("./browser.ts")).browserLogin(options));
  const login = loginOf(tokens, args.audience, settings);
  const before = logins.find(login);
  await logins.locked(login, async () => logins.save(login));
  logins.makeCurrent(login);
  await endSession(issuer, before, tokens.access.token);
  return login;
}

/** Reads the answer of the token endpoint. */
export function tokensOf(body: Readonly<Record<string, unknown>>): SessionTokens {
  const { access_token: token, refresh_token: refresh } = body;
  if (typeof token !== "string") throw failed("the server's answer has no token");
  const access = { token, expires: expiryOf(token) };
  return { access, refresh: typeof refresh === "string" ? refresh : undefined };
}

function loginOf(
  { access, refresh }: SessionTokens,
  audience: string,
  { issuer, api }: Context["settings"],
): Login {
  const { sub, email } = claimsOf(access.token);
  if (sub === undefined) throw failed("the server's token does not say who it is for");
  return {
    issuer,
    api,
    identity: sub,
    ...(email === undefined ? {} : { email }),
    renewal: refresh === undefined ? { kind: "none" } : { kind: "refresh", token: refresh },
    tokens: { [audience]: access },
  };
}

/** The session that this login takes the place of is of no use to anyone any more. */
async function endSession(issuer: Issuer, before: Login | undefined, token: string): Promise<void> {
  const [kept] = Object.values(before?.tokens ?? {});
  const id = kept && claimsOf(kept.token).sid;
  if (!id || id === claimsOf(token).sid) return;
  await issuer.wharf.sessions.end({ id }, { token }).catch((thrown: unknown) => {
    if (problemOf(thrown).code === undefined) throw thrown;
  });
}

function say({ progress, terminal }: Context, text: string): void {
  progress.clear();
  process.stderr.write(`${terminal.remarkStyle.bold("wharf:")} ${text}\n`);
}
