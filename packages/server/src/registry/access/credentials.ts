import { isUid } from "@wharf/contract";
import type { Authenticator } from "../../auth/authenticator.ts";
import { ANONYMOUS_UID } from "../../auth/caller.ts";
import { unauthenticated, WharfError } from "../../lib/errors.ts";
import {
  type AuditedSubject,
  authorizeSubject,
  type ExchangeDeps,
} from "../../sts/authorize-subject.ts";
import type { CachedIdentity } from "../../sts/identity-cache.ts";
import { Checks } from "../../sts/verify/checks.ts";
import type { Asker } from "./registry-access.ts";
import { ACTIONS } from "./scope.ts";

/** What a client shows. */
export type Credentials =
  | { readonly kind: "none" }
  /** A token of ours that is meant for the registry. */
  | { readonly kind: "ours"; readonly token: string }
  /** A token that an identity trusts: a pull token, or one of a workload's platform. */
  | { readonly kind: "trusted"; readonly token: string; readonly identity: string };

/** Whom the credentials speak for. */
export interface Bearer extends Asker {
  readonly uid: string;
  /** When what they are given must end. */
  readonly expires: number;
  /** Where it is news that the identity was seen. */
  readonly identity?: CachedIdentity;
}

/** The user name that says: the password is a token of yours. */
const OWN_USER = "_token";

/**
 * Reads the header in which registry clients send what they have.
 *
 * @example readAuthorization("Basic X3Rva2VuOmV5Sg…")
 */
export function readAuthorization(header: string | undefined): Credentials {
  if (header === undefined) return { kind: "none" };
  const [scheme = "", value = ""] = header.split(" ");
  if (scheme.toLowerCase() === "bearer" && value !== "") return { kind: "ours", token: value };
  if (scheme.toLowerCase() !== "basic") throw unauthenticated("only Basic and Bearer are accepted");
  const text = Buffer.from(value, "base64").toString("utf8");
  const colon = text.indexOf(":");
  return passwordOf(text.slice(0, Math.max(colon, 0)), text.slice(colon + 1));
}

/**
 * Reads a user name and a password. Identities may write their slashes as underscores, for tools that
 * take none in a user name.
 *
 * @example passwordOf("_token", "eyJhbGciOi…")
 */
export function passwordOf(user: string, password: string): Credentials {
  if (password === "") throw unauthenticated("a password is required");
  if (user === OWN_USER) return { kind: "ours", token: password };
  const identity = user.replaceAll("_", "/");
  if (isUid(identity)) return { kind: "trusted", token: password, identity };
  throw unauthenticated(`the user name must be ${OWN_USER}, or the uid of an identity`);
}

/** What credentials are judged with. */
export interface CredentialParts {
  readonly exchange: ExchangeDeps;
  readonly authenticator: Authenticator;
}

/**
 * Finds out whom credentials speak for at a registry. Throws UNAUTHENTICATED for those that speak for
 * nobody, and PERMISSION_DENIED for a token that is meant for another door.
 *
 * @example const bearer = await bearerOf(parts, credentials, "registry.example.com", Date.now(), seen);
 */
export async function bearerOf(
  parts: CredentialParts,
  credentials: Credentials,
  service: string,
  time: number,
  seen: AuditedSubject,
): Promise<Bearer> {
  if (credentials.kind === "none") return anyone(parts);
  if (credentials.kind === "trusted") return trusted(parts, credentials, time, seen);
  const { caller, audiences, expires } = await parts.authenticator.holder(credentials.token, time);
  seen.identity = caller.uid;
  if (!audiences.includes(service)) throw wrongAudience(audiences, service);
  const { uid, grants, isOperator } = caller;
  return { uid, grants, isOperator, expires, most: ACTIONS };
}

/** Whoever shows nothing gets what is bound to everyone, and never more than to pull. */
async function anyone({ exchange }: CredentialParts): Promise<Bearer> {
  const known = await exchange.identities.find(ANONYMOUS_UID);
  if (known === undefined) throw new Error("the identity of anyone is missing");
  const { uid, granted: grants } = known;
  return { uid, grants, isOperator: false, expires: Number.POSITIVE_INFINITY, most: ["pull"] };
}

async function trusted(
  { exchange }: CredentialParts,
  { token, identity: uid }: { token: string; identity: string },
  time: number,
  seen: AuditedSubject,
): Promise<Bearer> {
  seen.identity = uid;
  const presented = { token, identity: uid, time };
  try {
    const entitled = await authorizeSubject(exchange, presented, Checks.failFast(), seen);
    if (entitled === undefined) throw unauthenticated('invalid "identity"');
    const { identity, expires } = entitled;
    return {
      uid: identity.uid,
      grants: identity.granted,
      isOperator: false,
      expires,
      most: ACTIONS,
      identity,
    };
  } catch (thrown) {
    const error = WharfError.from(thrown);
    // To a registry's client, a password that does not fit is just that.
    if (error.code !== "PERMISSION_DENIED") throw error;
    throw unauthenticated(error.message.slice(error.message.indexOf(": ") + 2));
  }
}

function wrongAudience(audiences: readonly string[], service: string): WharfError {
  const found = audiences.map((audience) => JSON.stringify(audience)).join(", ");
  const text = `the token is meant for ${found}: exchange it for one with the audience ${JSON.stringify(service)}`;
  return new WharfError("PERMISSION_DENIED", text);
}
