import type { TokenSource } from "@wharf/client";
import { unauthenticated } from "../errors.ts";
import type { Environment, Settings } from "../settings.ts";
import type { Messages } from "../terminal/messages.ts";
import { freshToken, type KeptToken, type Login } from "./cache/login.ts";
import { Logins } from "./cache/logins.ts";
import { claimsOf } from "./claims.ts";
import type { RenewOptions } from "./renew.ts";

type Remarks = Pick<Messages, "warn" | "detail">;

const SILENT: Remarks = { warn() {}, detail() {} };

/**
 * The one place that knows where tokens come from: the variable WHARF_TOKEN; else the platform's
 * token for the identity that WHARF_IDENTITY names; else the current login, renewed when needed.
 * Nobody is logged in by it.
 */
export function tokenSource(
  settings: Settings,
  environment: Environment,
  remarks: Remarks = SILENT,
): TokenSource {
  const token = environment.WHARF_TOKEN?.trim();
  if (token) return { get: async () => ({ token }) };
  const logins = Logins.of(environment, remarks.warn);
  const source = sourceOf(() => usedLogin(logins, settings, environment), logins, remarks);
  return {
    get: ({ audience = settings.api, force }) =>
      // What the API is called by whom tokens are meant for can be another name.
      source.get({ audience: audience === settings.api ? settings.audience : audience, force }),
  };
}

/** A token for someone else than the API, such as a registry. */
export async function tokenFor(
  audience: string,
  settings: Settings,
  environment: Environment,
  remarks: Remarks = SILENT,
): Promise<{ readonly token: string; readonly expires?: Date | undefined }> {
  const { token } = await tokenSource(settings, environment, remarks).get({ audience });
  // A token that was given by hand is as it is; for the API, whoever gave it knows what is right.
  const isMeant = audience === settings.api || [claimsOf(token).aud].flat().includes(audience);
  if (!environment.WHARF_TOKEN || isMeant) return { token };
  const [{ issuerAt }, { exchanged }] = await Promise.all([
    import("./issuer.ts"),
    import("./renew.ts"),
  ]);
  return shown(await exchanged(issuerAt(settings.issuer, remarks).wharf, token, audience));
}

/** Tokens of one login. */
export function sourceOf(login: () => Login, logins: Logins, remarks: Remarks): TokenSource {
  const given = new Map<string, KeptToken>();
  return {
    async get({ audience = login().api, force = false }) {
      const remembered = freshToken({ tokens: Object.fromEntries(given) }, audience, Date.now());
      if (remembered !== undefined && !force) return shown(remembered);
      const present = login();
      const kept = freshToken(present, audience, Date.now());
      const next =
        kept !== undefined && kept.token !== remembered?.token
          ? kept
          : await renewed(present, { logins, audience, refused: remembered?.token, ...remarks });
      given.set(audience, next);
      return shown(next);
    },
  };
}

/** Asking a server takes code that most commands never need. */
async function renewed(
  login: Login,
  options: Omit<RenewOptions, "issuer"> & Remarks,
): Promise<KeptToken> {
  const [{ issuerAt }, { renew }] = await Promise.all([
    import("./issuer.ts"),
    import("./renew.ts"),
  ]);
  return renew(login, { ...options, issuer: issuerAt(login.issuer, options) });
}

function usedLogin(logins: Logins, { issuer, api }: Settings, environment: Environment): Login {
  const identity = environment.WHARF_IDENTITY;
  if (identity) {
    const from = { kind: "ambient" } as const;
    const none: Login = {
      issuer,
      api,
      identity,
      renewal: { kind: "exchange", from },
      tokens: {},
    };
    return logins.find({ issuer, identity }) ?? none;
  }
  const login = logins.current(issuer);
  if (login === undefined) throw unauthenticated(`you are not logged in to ${issuer}`);
  return login;
}

function shown({ token, expires }: KeptToken) {
  return { token, expires: new Date(expires) };
}
