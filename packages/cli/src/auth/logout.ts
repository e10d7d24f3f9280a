import type { Run } from "../command/types.ts";
import type { Context } from "../context.ts";
import { unauthenticated } from "../errors.ts";
import { problemOf } from "../problem.ts";
import type { Login } from "./cache/login.ts";
import { Logins } from "./cache/logins.ts";
import type { logoutDefinition } from "./commands.ts";
import { sourceOf } from "./source.ts";
import { nameOf } from "./who.ts";

export const run: Run<typeof logoutDefinition> = async (context, { all, everywhere }) => {
  const { settings, environment, err } = context;
  const logins = Logins.of(environment, err.warn);
  const current = logins.current(settings.issuer);
  const chosen = all ? logins.all().map(({ login }) => login) : [current];
  const ended = chosen.filter((login) => login !== undefined);
  if (ended.length === 0 && !all) {
    throw unauthenticated(`you are not logged in to ${settings.issuer}`);
  }
  for (const login of ended) {
    await endSession(context, logins, login, everywhere);
    // Another command may be renewing it, and would bring it back.
    await logins.locked(login, async () => logins.remove(login));
    err.note(`logged out of ${login.issuer} as ${nameOf(login)}`);
  }
  if (environment.WHARF_TOKEN) err.warn("WHARF_TOKEN is set, and still used");
};

/** The tokens go in any case; where the server cannot be told, whoever has a copy can go on. */
async function endSession(
  { err, signal }: Context,
  logins: Logins,
  login: Login,
  everywhere: boolean,
): Promise<void> {
  // Workloads have no session: their tokens end by themselves.
  if (login.renewal.kind === "exchange") return;
  const { clientOf } = await import("./client-of.ts");
  try {
    const { sessions } = clientOf(
      login,
      sourceOf(() => login, logins, err),
      err,
    );
    await sessions.logout({ everywhere }, { signal });
  } catch (thrown) {
    signal.throwIfAborted();
    const { code, message } = problemOf(thrown);
    // It has ended already, or there never was one.
    if (code === "UNAUTHENTICATED" || code === "FAILED_PRECONDITION") return;
    err.warn(`the session goes on at ${login.issuer}, which could not be told: ${message}`);
  }
}
