import type { PersonSession } from "@wharf/client";
import type { Run } from "../command/types.ts";
import type { Context } from "../context.ts";
import { unauthenticated } from "../errors.ts";
import type { Column } from "../output/columns.ts";
import { problemOf } from "../problem.ts";
import type { Login } from "./cache/login.ts";
import { Logins } from "./cache/logins.ts";
import { displayName } from "./claims.ts";
import type {
  deleteAccountDefinition,
  endSessionsDefinition,
  listSessionsDefinition,
  logoutDefinition,
  tokenDefinition,
} from "./commands.ts";
import { sourceOf, tokenFor } from "./source.ts";

export const logout: Run<typeof logoutDefinition> = async (context, { all, everywhere }) => {
  const { settings, environment, err } = context;
  if (all) {
    for (const { logins } of Logins.ofAll(environment, err.warn)) {
      await signOut(context, logins, everywhere);
    }
  } else {
    const logins = Logins.of(environment, settings.context, err.warn);
    const current = logins.current(settings.issuer);
    if (current === undefined) {
      throw unauthenticated(`you are not signed in to ${settings.issuer}`);
    }
    await signOut(context, logins, everywhere, [current]);
  }
  if (environment.WHARF_TOKEN) err.warn("WHARF_TOKEN is set and still used");
};

/** Ends sessions, and removes their logins; default: all of a context. */
export async function signOut(
  context: Context,
  logins: Logins,
  everywhere: boolean,
  ended: readonly Login[] = logins.all().map(({ login }) => login),
): Promise<void> {
  for (const login of ended) {
    await endSession(context, logins, login, everywhere);
    // With the lock: another command may be renewing the login and would store it again.
    await logins.locked(login, async () => logins.remove(login));
    context.err.note(`signed out of ${login.issuer} as ${displayName(login)}`);
  }
}

/** Stored tokens are deleted in any case; a session that cannot be ended is only a warning. */
async function endSession(
  { err, signal }: Context,
  logins: Logins,
  login: Login,
  everywhere: boolean,
): Promise<void> {
  // Workloads have no session; their tokens expire.
  if (login.renewal.kind === "exchange") return;
  const { clientFor } = await import("./issuer.ts");
  const source = sourceOf(() => login, logins, err);
  try {
    await clientFor(login, source, err).sessions.logout({ everywhere }, { signal });
  } catch (thrown) {
    signal.throwIfAborted();
    const { code, message } = problemOf(thrown);
    // The session has expired, or there never was one.
    if (code === "UNAUTHENTICATED" || code === "FAILED_PRECONDITION") return;
    err.warn(`the session at ${login.issuer} could not be ended: ${message}`);
  }
}

export const token: Run<typeof tokenDefinition> = async (context, { scope, capabilities }) => {
  const { settings, environment, err, out } = context;
  const full = await tokenFor(settings.audience, settings, environment, err);
  if (scope.length === 0 && capabilities.length === 0) return out.text(full.token);
  const [{ issuerAt }, { exchangeToken }] = await Promise.all([
    import("./issuer.ts"),
    import("./renew.ts"),
  ]);
  const { wharf } = issuerAt(settings.issuer, err);
  const boundary = { scopes: scope, capabilities };
  out.text((await exchangeToken(wharf, full.token, settings.audience, "", boundary)).token);
};

export const deleteAccount: Run<typeof deleteAccountDefinition> = async (context) => {
  const { settings, environment, err, signal } = context;
  const { auth } = await context.client();
  const { subject, email } = await auth.validate({}, { signal });
  const name = displayName({ email, identity: subject });
  await context.confirm(`Delete ${name} at ${settings.issuer}, with all role bindings?`);
  await auth.delete({ id: subject }, { signal });
  const logins = Logins.of(environment, settings.context);
  logins.remove({ issuer: settings.issuer, identity: subject });
  err.note(`deleted ${name}`);
};

const SESSION_COLUMNS: readonly Column<PersonSession>[] = [
  { header: "ID", value: ({ id }) => id },
  { header: "This one", value: ({ current }) => (current ? "*" : "") },
  { header: "From", value: ({ remoteAddress }) => remoteAddress },
  { header: "With", value: ({ userAgent }) => userAgent },
  { header: "Last used", value: ({ lastUsedTime }) => lastUsedTime },
  { header: "Ends", value: ({ expireTime }) => expireTime },
  { header: "Began", value: ({ createTime }) => createTime, wide: true },
  { header: "Identity", value: ({ identity }) => identity, wide: true },
  { header: "Identity provider", value: ({ identityProvider }) => identityProvider, wide: true },
];

export const listSessions: Run<typeof listSessionsDefinition> = async (
  { client, out, signal },
  { identity = "", identityProvider = "", ...arrangement },
) => {
  const { sessions } = await client();
  const found = sessions.listAll({ identity, identityProvider }, { signal });
  await out.list(found, SESSION_COLUMNS, { what: "sessions", id: ({ id }) => id, arrangement });
};

export const endSessions: Run<typeof endSessionsDefinition> = async (
  { client, err, signal },
  { session: ids },
) => {
  const { sessions } = await client();
  for (const id of ids) {
    await sessions.end({ id }, { signal });
    err.note(`ended session ${id}`);
  }
};
