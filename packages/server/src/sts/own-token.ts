import type { Access } from "../auth/access.ts";
import { revokedToken } from "../auth/authenticator.ts";
import { OPERATOR_UID } from "../auth/caller.ts";
import type { VerifiedToken } from "../auth/token.ts";
import type { Addresses } from "../config/addresses.ts";
import { WharfError } from "../lib/errors.ts";
import type { ExchangeDeps } from "./authorize-subject.ts";
import type { Checks } from "./verify/checks.ts";
import type { TokenRule } from "./verify/rule.ts";
import { checkIssuer, type UnverifiedToken } from "./verify/signature.ts";

/**
 * Whether a token of ours is meant for the API, or for us as its issuer. A registry or another service
 * that receives tokens must not be able to exchange them for tokens of other audiences.
 */
export function isForApiOrIssuer(
  { audiences }: VerifiedToken,
  { baseUrl, authUrl }: Addresses,
): boolean {
  return audiences.includes(baseUrl) || audiences.includes(authUrl);
}

/** Verifies a token of ours whatever its audience. Denies it once its session has ended. */
export async function verifyOwnToken(
  { access, keys, verifier }: ExchangeDeps,
  token: string,
  time: number,
): Promise<VerifiedToken> {
  await keys.reloadIfChanged();
  const verified = await verifier.verifyAnyAudience(token, time);
  const { session } = verified;
  if (session === "" || (await access.session(session))) return verified;
  throw revokedToken(session);
}

/** Checks a token of ours that is to assume another identity. */
export async function checkOwnToken(
  deps: ExchangeDeps,
  { token, issuer }: UnverifiedToken,
  rule: TokenRule,
  time: number,
  checks: Checks,
): Promise<VerifiedToken | undefined> {
  await checkIssuer(rule, issuer, checks);
  const signature = { claim: "signature", expected: "made by a key of this installation" };
  try {
    const verified = await verifyOwnToken(deps, token, time);
    checks.add({ ...signature, found: "valid", ok: true });
    if (!isForApiOrIssuer(verified, deps.addresses())) {
      const found = verified.audiences.join(" ");
      checks.add({ claim: "aud", expected: "the API or this issuer", found, ok: false });
    }
    // A down-scoped token must not become an identity that holds more.
    const isDownScoped = verified.boundary !== undefined;
    const found = isDownScoped ? "a down-scoped token" : "no boundary";
    checks.add({ claim: "cap", expected: "no boundary", found, ok: !isDownScoped });
    return verified;
  } catch (error) {
    if (!(error instanceof WharfError) || error.code !== "UNAUTHENTICATED") throw error;
    checks.add({ ...signature, found: error.message, ok: false }, () => error);
    return undefined;
  }
}

/**
 * An identity can trust a person by the uid in our tokens, however that person signed in. The sign-in
 * must be accepted at the group of the identity; otherwise the identity provider of any tenant could
 * speak for that person.
 */
export async function checkSignIn(
  access: Access,
  uid: string,
  { subject, session: id }: VerifiedToken,
  checks: Checks,
): Promise<boolean> {
  if (subject === OPERATOR_UID) return true;
  const session = id === "" ? undefined : await access.session(id);
  const expected = "a sign-in that the organization of the identity accepts";
  const ok = await access.mayAssume(uid, subject, session);
  return checks.add({ claim: "sid", expected, found: ok ? expected : "another sign-in", ok });
}
