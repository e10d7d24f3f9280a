import type { Context } from "../../context.ts";
import { failed } from "../../errors.ts";
import { problemOf } from "../../problem.ts";
import type { Login, StoredToken } from "../cache/login.ts";
import { Logins } from "../cache/logins.ts";
import { claimsOf, expirationOf } from "../claims.ts";
import { checkIssuer, type Issuer, issuerAt } from "../issuer.ts";

export interface SignInOptions {
  readonly context: Context;
  readonly issuer: Issuer;
  /** The audience of the first token. */
  readonly audience: string;
  /** The UID of an identity provider, or the name of an organization. */
  readonly provider: string | undefined;
  readonly invite: string | undefined;
  /** Whether to open a browser, or only print the URL. */
  readonly browser: boolean;
  /** Prints an instruction, also with --quiet. */
  say(text: string): void;
}

/** The tokens of a new session. Some sessions have no refresh token. */
export interface SessionTokens {
  readonly access: StoredToken;
  readonly refresh: string | undefined;
}

export interface PersonArgs
  extends Pick<SignInOptions, "audience" | "provider" | "invite" | "browser"> {
  readonly headless: boolean;
}

/** Signs a person in and stores the login as the current one. */
export async function signInPerson(context: Context, args: PersonArgs): Promise<Login> {
  const { settings, environment, err, signal } = context;
  const logins = Logins.of(environment, settings.context, err.warn);
  // Checked first: a login that cannot be stored is useless.
  logins.prepare(settings.issuer);
  const issuer = issuerAt(settings.issuer, err);
  await checkIssuer(issuer.url, signal);
  const options: SignInOptions = { ...args, context, issuer, say: (text) => say(context, text) };
  const tokens = await (args.headless
    ? (await import("./device.ts")).deviceSignIn(options)
    : (await import("./browser.ts")).browserSignIn(options));
  const login = loginOf(tokens, args.audience, settings);
  const previous = logins.find(login);
  await logins.locked(login, async () => logins.save(login));
  logins.makeCurrent(login);
  await endSession(issuer, previous, tokens.access.token);
  return login;
}

/** Reads the response of the token endpoint. */
export function tokensOf(body: Readonly<Record<string, unknown>>): SessionTokens {
  const { access_token: token, refresh_token: refresh } = body;
  if (typeof token !== "string") throw failed("the server's response contains no token");
  const access = { token, expires: expirationOf(token) };
  return { access, refresh: typeof refresh === "string" ? refresh : undefined };
}

function loginOf(
  { access, refresh }: SessionTokens,
  audience: string,
  { issuer, api }: Context["settings"],
): Login {
  const { sub, email } = claimsOf(access.token);
  if (sub === undefined) throw failed("the server's token has no subject");
  return {
    issuer,
    api,
    identity: sub,
    ...(email === undefined ? {} : { email }),
    renewal: refresh === undefined ? { kind: "none" } : { kind: "refresh", token: refresh },
    tokens: { [audience]: access },
  };
}

/** Ends the session of the login that was replaced. */
async function endSession(
  issuer: Issuer,
  previous: Login | undefined,
  token: string,
): Promise<void> {
  const [stored] = Object.values(previous?.tokens ?? {});
  const id = stored && claimsOf(stored.token).sid;
  if (!id || id === claimsOf(token).sid) return;
  await issuer.wharf.sessions.end({ id }, { token }).catch((thrown: unknown) => {
    if (problemOf(thrown).code === undefined) throw thrown;
  });
}

function say({ progress, terminal }: Context, text: string): void {
  progress.clear();
  process.stderr.write(`${terminal.remarkStyle.bold("wharf:")} ${text}\n`);
}
