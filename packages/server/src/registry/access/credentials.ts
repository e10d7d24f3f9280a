import { isUid } from "@wharf/contract";
import type { Authenticator } from "../../auth/authenticator.ts";
import { ANONYMOUS_UID } from "../../auth/caller.ts";
import { Grants } from "../../auth/grants.ts";
import { readBearer } from "../../lib/bearer.ts";
import { unauthenticated, WharfError } from "../../lib/errors.ts";
import {
  type AuditedSubject,
  authorizeSubject,
  type ExchangeDeps,
} from "../../sts/authorize-subject.ts";
import type { CachedIdentity } from "../../sts/identity-cache.ts";
import { Checks, invalidClaim } from "../../sts/verify/checks.ts";
import type { Requester } from "./registry-access.ts";

export type Credentials =
  | { readonly kind: "none" }
  /** A token of this installation with the registry as its audience. */
  | { readonly kind: "ours"; readonly token: string }
  /** A token that an identity trusts: a pull token, or one of a workload's platform. */
  | { readonly kind: "trusted"; readonly token: string; readonly identity: string };

/** The authenticated requester, without the grants that it shares with everyone. */
export interface Principal extends Omit<Requester, "publicGrants"> {
  readonly uid: string;
  /** The expiry time of the credentials. */
  readonly expires: number;
  /** The session of a token of this installation. */
  readonly session?: string | undefined;
  /** Set if the use of the identity is to be recorded. */
  readonly identity?: CachedIdentity;
}

/** The user name for a token of this installation as the password. */
const TOKEN_USER = "_token";

/** The hint of every refused password of an identity: it does not tell whether the identity exists. */
const TRUSTED_PASSWORD =
  "the password must be a valid token of the identity, such as a pull token that is neither expired nor revoked";

const BASIC = "basic ";

/** Whether an Authorization header has the scheme Basic (RFC 7617). */
export function isBasic(header: string): boolean {
  return header.slice(0, BASIC.length).toLowerCase() === BASIC;
}

/** Reads the Authorization header of a registry client. */
export function readAuthorization(header: string | undefined): Credentials {
  if (header === undefined) return { kind: "none" };
  const bearer = readBearer(header);
  if (bearer !== undefined) return { kind: "ours", token: bearer };
  if (!isBasic(header)) throw unauthenticated("only Basic and Bearer are accepted");
  const text = Buffer.from(header.slice(BASIC.length), "base64").toString("utf8");
  const colon = text.indexOf(":");
  return passwordOf(text.slice(0, Math.max(colon, 0)), text.slice(colon + 1));
}

/**
 * Reads a user name and a password. The uid of an identity may have underscores for slashes, for tools
 * that allow no slashes in user names.
 */
export function passwordOf(user: string, password: string): Credentials {
  if (password === "") throw unauthenticated("a password is required");
  if (user === TOKEN_USER) {
    if (password.includes(".")) return { kind: "ours", token: password };
    throw unauthenticated(
      `the password of ${TOKEN_USER} must be a token: wharf auth token prints one`,
    );
  }
  const identity = user.replaceAll("_", "/");
  if (isUid(identity)) return { kind: "trusted", token: password, identity };
  throw unauthenticated(`the user name must be ${TOKEN_USER}, or the uid of an identity`);
}

export interface CredentialDeps {
  readonly exchange: ExchangeDeps;
  readonly authenticator: Authenticator;
}

/**
 * Authenticates credentials for a registry. Throws UNAUTHENTICATED for invalid credentials, and
 * PERMISSION_DENIED for a token with another audience.
 */
export async function authenticate(
  deps: CredentialDeps,
  credentials: Credentials,
  service: string,
  time: number,
  seen: AuditedSubject,
): Promise<Principal> {
  if (credentials.kind === "none") return ANONYMOUS;
  if (credentials.kind === "trusted") {
    return authenticateTrusted(deps.exchange, credentials, time, seen);
  }
  const { caller, audiences, expires } = await deps.authenticator.holder(credentials.token, time);
  seen.identity = caller.uid;
  if (!isFor(deps.exchange, audiences, service)) throw wrongAudience(audiences, service);
  const { uid, grants, isOperator, session } = caller;
  return { uid, grants, isOperator, session, expires };
}

/** Whether a token is for a registry. At the host of the API, tokens for the API are, too. */
function isFor(
  { settings, addresses }: Pick<ExchangeDeps, "settings" | "addresses">,
  audiences: readonly string[],
  service: string,
): boolean {
  if (audiences.includes(service)) return true;
  const { baseUrl } = addresses();
  const isOwn = service === new URL(baseUrl).host && !settings.registryUrls.has(service);
  return isOwn && audiences.includes(baseUrl);
}

/** The grants of the identity "anyone", which count for every requester, with credentials or without. */
export async function publicGrants({ exchange }: CredentialDeps): Promise<Grants> {
  const anyone = await exchange.identities.find(ANONYMOUS_UID);
  if (anyone === undefined) throw new Error("the identity of anyone is missing");
  return anyone.granted;
}

const ANONYMOUS: Principal = {
  uid: ANONYMOUS_UID,
  grants: Grants.NONE,
  isOperator: false,
  expires: Number.POSITIVE_INFINITY,
};

/** Authenticates an identity by a token that it trusts. Throws UNAUTHENTICATED for any other token. */
export async function authenticateTrusted(
  exchange: ExchangeDeps,
  { token, identity: uid }: { readonly token: string; readonly identity: string },
  time: number,
  seen: AuditedSubject,
): Promise<Principal & { readonly identity: CachedIdentity }> {
  seen.identity = uid;
  const presented = { token, identity: uid, time };
  try {
    const entitled = await authorizeSubject(exchange, presented, Checks.failFast(), seen);
    if (entitled === undefined) throw invalidClaim("identity");
    const { identity, expires } = entitled;
    return { uid: identity.uid, grants: identity.granted, isOperator: false, expires, identity };
  } catch (thrown) {
    const error = WharfError.from(thrown);
    // Registry clients expect 401 for any wrong password.
    if (error.code !== "PERMISSION_DENIED" && error.code !== "UNAUTHENTICATED") throw error;
    const reason = error.message.slice(error.message.indexOf(": ") + 2);
    throw unauthenticated(`${reason}: ${TRUSTED_PASSWORD}`);
  }
}

/** The error for a token of this installation that is not for the registry. */
export function wrongAudience(audiences: readonly string[], service: string): WharfError {
  const found = audiences.map((audience) => JSON.stringify(audience)).join(", ");
  const text = `the token is for ${found}: exchange it for one with the audience ${JSON.stringify(service)}`;
  return new WharfError("PERMISSION_DENIED", text);
}
