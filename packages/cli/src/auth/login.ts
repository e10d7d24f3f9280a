import type { TokenSource } from "@wharf/client";
import type { Run } from "../command/types.ts";
import type { Context } from "../context.ts";
import { usageError } from "../errors.ts";
import { timeText } from "../output/columns.ts";
import { problemOf } from "../problem.ts";
import type { Login, StoredToken } from "./cache/login.ts";
import { Logins } from "./cache/logins.ts";
import { displayName, isUrl, organizationsOf, refreshExpirationOf } from "./claims.ts";
import type { loginDefinition } from "./commands.ts";
import { signInPerson } from "./login/person.ts";
import { keepFresh, signInWorkload } from "./login/workload.ts";
import { sourceOf } from "./source.ts";
import { readSecret } from "./workload-token.ts";

export const run: Run<typeof loginDefinition> = async (context, args) => {
  const { settings, environment, err } = context;
  const audiences = args.audience.length > 0 ? args.audience : [settings.api];
  const [first] = audiences as [string];
  // The first token is exchanged for the others.
  const audience = audiences.find(isUrl) ?? first;
  checkOptions(args);
  const login =
    args.identity === undefined
      ? await signIn(context, args, audience)
      : await signInWorkload(context, { ...args, identity: args.identity, audience });
  const logins = Logins.of(environment, settings.context, err.warn);
  const current = () => logins.find(login) ?? login;
  const source = sourceOf(current, logins, err);
  for (const other of audiences) await source.get({ audience: other });
  err.note(`signed in to ${login.issuer} as ${displayName(login)}`);
  err.note(validityOf(current()));
  if (audiences.includes(settings.api)) await showOrganizations(context, source);
  if (environment.WHARF_TOKEN) err.warn("WHARF_TOKEN is set and takes precedence over this login");
  if (args.refresh) await keepFresh(context, login, audiences);
};

type Args = Parameters<typeof run>[1];

function checkOptions(args: Args): void {
  const { identity, identityToken, inviteCode, headless, refresh } = args;
  if (args.identityProvider !== undefined && args.orgName !== undefined) {
    throw usageError("--identity-provider and --org-name are mutually exclusive");
  }
  if (identity === undefined) {
    if (identityToken !== undefined) throw usageError("--identity-token requires --identity");
    if (refresh) {
      throw usageError("--refresh requires --identity", "logins of people renew automatically");
    }
    return;
  }
  if (headless) throw usageError("--identity and --headless are mutually exclusive");
  if (inviteCode !== undefined) {
    throw usageError("--identity and --invite-code are mutually exclusive");
  }
}

async function signIn(context: Context, args: Args, audience: string): Promise<Login> {
  const { config } = context.settings;
  const headless = args.headless || config.get("auth.mode") === "headless";
  const provider =
    args.identityProvider ??
    args.orgName ??
    config.get("default.identity-provider") ??
    config.get("default.org-name");
  const invite = await readSecret("--invite-code", args.inviteCode);
  if (args.browser && !headless) (await import("./login/browser.ts")).requireBrowser(context);
  const login = await signInPerson(context, {
    audience,
    provider,
    // The device flow takes no invite; it is accepted afterwards.
    invite: headless ? undefined : invite,
    browser: args.browser,
    headless,
  });
  if (headless && invite !== undefined) {
    const { auth } = await context.client();
    const { token } = login.tokens[audience] as StoredToken;
    await auth.register({ code: invite }, { signal: context.signal, token });
    context.err.note("accepted the invite");
  }
  return login;
}

async function showOrganizations(context: Context, token: TokenSource): Promise<void> {
  const { err, signal } = context;
  try {
    const { auth } = await context.client();
    const organizations = organizationsOf(await auth.validate({}, { signal, token }));
    err.note(
      organizations.length === 0
        ? "you are not a member of any organization yet"
        : `organizations: ${organizations.join(", ")}`,
    );
  } catch (thrown) {
    if (signal.aborted) throw thrown;
    err.warn(`signed in, but the API cannot be reached: ${problemOf(thrown).message}`);
  }
}

function validityOf({ renewal, tokens }: Login): string {
  const first = Math.min(...Object.values(tokens).map(({ expires }) => expires));
  const until = `valid until ${timeText(first)}`;
  if (renewal.kind === "none") return `${until}; then sign in again`;
  const idle = renewal.kind === "refresh" ? refreshExpirationOf(renewal.token) : undefined;
  const expiry =
    idle === undefined ? "" : `; the session expires if unused until ${timeText(idle.getTime())}`;
  return `${until}; renews automatically${expiry}`;
}
