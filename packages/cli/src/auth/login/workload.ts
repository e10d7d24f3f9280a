import { setTimeout as sleep } from "node:timers/promises";
import { isUid } from "@wharf/contract";
import type { Context } from "../../context.ts";
import { notFound, usageError } from "../../errors.ts";
import { problemOf } from "../../problem.ts";
import type { Login } from "../cache/login.ts";
import { Logins } from "../cache/logins.ts";
import { issuerAt } from "../issuer.ts";
import { exchanged } from "../renew.ts";
import { sourceOf } from "../source.ts";
import { readIdentityToken, workloadToken } from "../workload-token.ts";

export interface WorkloadArgs {
  /** The uid of the identity to become, or its name. */
  readonly identity: string;
  readonly identityToken: string | undefined;
  readonly audience: string;
}

/**
 * Logs a workload in with the token of its platform, and keeps what comes of it as the current
 * login.
 */
export async function logInWorkload(context: Context, args: WorkloadArgs): Promise<Login> {
  const { settings, environment, err } = context;
  const logins = Logins.of(environment, err.warn);
  logins.prepare(settings.issuer);
  const from = await readIdentityToken(args.identityToken);
  const identity = await identityOf(context, args.identity);
  const issuer = issuerAt(settings.issuer, err);
  const upstream = await workloadToken(from, issuer.url);
  const access = await exchanged(issuer.wharf, upstream, args.audience, identity);
  const login: Login = {
    issuer: settings.issuer,
    api: settings.api,
    identity,
    renewal: from.kind === "value" ? { kind: "none" } : { kind: "exchange", from },
    tokens: { [args.audience]: access },
  };
  await logins.locked(login, async () => logins.save(login));
  logins.makeCurrent(login);
  return login;
}

/** Names can be looked up by those who are logged in already. */
async function identityOf(context: Context, text: string): Promise<string> {
  if (isUid(text)) return text;
  const { identities } = await context.client();
  const found = (await identities.list({ name: text, pageSize: 2 }, { signal: context.signal }))
    .identities;
  const [first, second] = found;
  if (first === undefined) throw notFound(`no identity is named "${text}"`, "give its uid");
  if (second !== undefined)
    throw usageError(`several identities are named "${text}"`, "give a uid");
  return first.uid;
}

/** However long a token lasts, a new one is asked for this often at most. */
const SOONEST_MS = 5_000;

/** When to ask for the next token: with a fifth of its time left, and a minute at least. */
export function pauseBefore(expires: number, now: number): number {
  const left = expires - now;
  return Math.max(SOONEST_MS, Math.min(left * 0.8, left - 90_000));
}

/** Keeps the tokens of a login fresh until interrupted. */
export async function keepFresh(
  context: Context,
  login: Login,
  audiences: readonly string[],
): Promise<void> {
  const { environment, err, signal } = context;
  const logins = Logins.of(environment, err.warn);
  const source = sourceOf(() => logins.find(login) ?? login, logins, err);
  err.note("keeping the token fresh; Ctrl-C ends it");
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
