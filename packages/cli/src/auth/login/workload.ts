import { setTimeout as sleep } from "node:timers/promises";
import type { Context } from "../../context.ts";
import { problemOf } from "../../problem.ts";
import { IDENTITY } from "../../resolve/kinds.ts";
import { resolveUid } from "../../resolve/resolve.ts";
import type { Login } from "../cache/login.ts";
import { Logins } from "../cache/logins.ts";
import { issuerAt } from "../issuer.ts";
import { exchangeWorkloadToken } from "../renew.ts";
import { sourceOf } from "../source.ts";
import { readIdentityToken } from "../workload-token.ts";

export interface WorkloadArgs {
  /** The UID or the name of an identity. */
  readonly identity: string;
  readonly identityToken: string | undefined;
  readonly audience: string;
}

/** Signs a workload in with its platform's token and stores the login as the current one. */
export async function signInWorkload(context: Context, args: WorkloadArgs): Promise<Login> {
  const { settings, environment, err } = context;
  const logins = Logins.of(environment, settings.context, err.warn);
  logins.prepare(settings.issuer);
  const from = await readIdentityToken(args.identityToken);
  // Names can only be resolved by callers who are signed in already.
  const identity = await resolveUid(context, IDENTITY, args.identity);
  const issuer = issuerAt(settings.issuer, err);
  const { api } = settings;
  const request = { from, identity, audience: args.audience, api };
  const access = await exchangeWorkloadToken(issuer, request);
  const login: Login = {
    issuer: settings.issuer,
    api,
    identity,
    renewal: from.kind === "value" ? { kind: "none" } : { kind: "exchange", from },
    tokens: { [args.audience]: access },
  };
  await logins.locked(login, async () => logins.save(login));
  logins.makeCurrent(login);
  return login;
}

/** However short-lived tokens are, they are not renewed more often. */
const MIN_PAUSE_MS = 5_000;

/** Tokens are renewed with a fifth of their validity left, but at least this long before. */
const RENEWAL_MARGIN_MS = 90_000;

export function pauseBefore(expires: number, now: number): number {
  const left = expires - now;
  return Math.max(MIN_PAUSE_MS, Math.min(left * 0.8, left - RENEWAL_MARGIN_MS));
}

/** Renews the tokens of a login until interrupted. */
export async function keepFresh(
  context: Context,
  login: Login,
  audiences: readonly string[],
): Promise<void> {
  const { settings, environment, err, signal } = context;
  const logins = Logins.of(environment, settings.context, err.warn);
  const source = sourceOf(() => logins.find(login) ?? login, logins, err);
  err.note("keeping the token fresh; press Ctrl-C to stop");
  for (let force = false; ; force = true) {
    let soonest = Number.POSITIVE_INFINITY;
    for (const audience of audiences) {
      try {
        const { expires } = await source.get({ audience, force });
        soonest = Math.min(soonest, expires?.getTime() ?? 0);
      } catch (thrown) {
        if (problemOf(thrown).code !== "UNAVAILABLE") throw thrown;
        err.warn(problemOf(thrown).message);
        soonest = 0;
      }
    }
    await sleep(pauseBefore(soonest, Date.now()), undefined, { signal });
  }
}
