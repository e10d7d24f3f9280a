import type { TokenSource } from "@wharf/client";
import type { Run } from "../command/types.ts";
import type { Context } from "../context.ts";
import { usageError } from "../errors.ts";
import { timeText } from "../output/columns.ts";
import { problemOf } from "../problem.ts";
import type { KeptToken, Login } from "./cache/login.ts";
import { Logins } from "./cache/logins.ts";
import { isAddress, refreshExpiry } from "./claims.ts";
import type { loginDefinition } from "./commands.ts";
import { logInPerson } from "./login/person.ts";
import { readSecret } from "./login/secret.ts";
import { keepFresh, logInWorkload } from "./login/workload.ts";
import { sourceOf } from "./source.ts";
import { nameOf, organizationsOf } from "./who.ts";

export const run: Run<typeof loginDefinition> = async (context, args) => {
  const { settings, environment, err } = context;
  const audiences = args.audience.length > 0 ? args.audience : [settings.api];
  const [first] = audiences as [string];
  // What the login gives is exchanged for all the others.
  const audience = audiences.find(isAddress) ?? first;
  checkTogether(args);
  const isWorkload = args.identity !== undefined;
  const login = isWorkload
    ? await logInWorkload(context, { ...args, identity: args.identity, audience })
    : await logIn(context, args, audience);
  const logins = Logins.of(environment, err.warn);
  const present = () => logins.find(login) ?? login;
  const source = sourceOf(present, logins, err);
  for (const other of audiences) await source.get({ audience: other });
  err.note(`logged in to ${login.issuer} as ${nameOf(login)}`);
  err.note(lifetimeOf(present()));
  if (audiences.includes(settings.api)) await tellWhere(context, source);
  if (environment.WHARF_TOKEN) err.warn("WHARF_TOKEN is set, and goes before this login");
  if (args.refresh) await keepFresh(context, login, audiences);
};

type Args = Parameters<typeof run>[1];

function checkTogether(args: Args): void {
  const { identity, identityToken, inviteCode, headless, refresh } = args;
  if (args.identityProvider !== undefined && args.orgName !== undefined) {
    throw usageError("--identity-provider and --org-name do not go together", "give one of them");
  }
  if (identity === undefined) {
    if (identityToken !== undefined) throw usageError("--identity-token needs --identity");
    if (refresh)
      throw usageError("--refresh needs --identity", "logins of people renew themselves");
    return;
  }
  if (headless) throw usageError("--identity and --headless do not go together");
  if (inviteCode !== undefined) throw usageError("--identity and --invite-code do not go together");
}

async function logIn(context: Context, args: Args, audience: string): Promise<Login> {
  const { config } = context.settings;
  const headless = args.headless || config.get("auth.mode") === "headless";
  const given = args.identityProvider ?? args.orgName;
  const usual = config.get("default.identity-provider") ?? config.get("default.org-name");
  const invite = await readSecret("--invite-code", args.inviteCode);
  const login = await logInPerson(context, {
    audience,
    provider: given ?? usual,
    // Codes that are typed elsewhere take no invite along: it is accepted afterwards.
    invite: headless ? undefined : invite,
    browser: args.browser,
    headless,
  });
  if (headless && invite !== undefined) {
    const { auth } = await context.client();
    const { token } = login.tokens[audience] as KeptToken;
    await auth.register({ code: invite }, { signal: context.signal, token });
    context.err.note("the invite is accepted");
  }
  return login;
}

async function tellWhere(context: Context, token: TokenSource): Promise<void> {
  const { err, signal } = context;
  try {
    const { auth } = await context.client();
    const organizations = organizationsOf(await auth.validate({}, { signal, token }));
    err.note(
      organizations.length === 0
        ? "you belong to no organization yet"
        : `organizations: ${organizations.join(", ")}`,
    );
  } catch (thrown) {
    if (signal.aborted) throw thrown;
    err.warn(`logged in, but the API does not answer: ${problemOf(thrown).message}`);
  }
}

function lifetimeOf({ renewal, tokens }: Login): string {
  const first = Math.min(...Object.values(tokens).map(({ expires }) => expires));
  const until = `until ${timeText(first)}`;
  if (renewal.kind === "none") return `${until}; then log in again`;
  const unused = renewal.kind === "refresh" ? refreshExpiry(renewal.token) : undefined;
  const idle =
    unused === undefined ? "" : `, and ends when unused until ${timeText(unused.getTime())}`;
  return `${until}; renews itself${idle}`;
}
