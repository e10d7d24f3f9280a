import { unauthenticated, WharfError } from "../../lib/errors.ts";
import { FetchError } from "../../lib/fetch-json.ts";
import { parseSignedRequest, replay, type SignedRequest } from "./aws-request.ts";
import { type Checks, malformedToken } from "./checks.ts";
import { checkValue } from "./matcher.ts";
import type { AwsRule } from "./rule.ts";

/**
 * Identities that prove themselves with AWS credentials: the token is a signed GetCallerIdentity
 * request, bound by its headers to us and to one identity. Asking AWS says who signed it.
 */

/** AWS itself refuses older ones. */
const OLDEST_MS = 15 * 60_000;

/** How far ahead the signer's clock may be. */
const AHEAD_MS = 5 * 60_000;

/** Who AWS says signed the request. */
export interface AwsCaller {
  readonly account: string;
  readonly arn: string;
  readonly userId: string;
}

export interface AwsTerms {
  /** The uid that the request must name. */
  readonly identity: string;
  /** Where to ask; the host that requests must be signed for. */
  readonly endpoint: string;
  /** What the audience header may say. */
  readonly audiences: readonly string[];
}

/**
 * Checks a signed request: that it is fresh, meant for us and this identity, and signed by whom the
 * rule names. AWS is asked only when everything before is right. Undefined when nobody is known to
 * have signed.
 */
export async function checkAws(
  rule: AwsRule,
  token: string,
  terms: AwsTerms,
  now: number,
  checks: Checks,
): Promise<AwsCaller | undefined> {
  const request = readRequest(token, checks);
  if (request === undefined) return undefined;
  checkHeaders(request, terms, checks);
  checkAge(request, now, checks);
  const caller = await askAws(request, terms, checks);
  const found = {
    "aws-acct": caller?.account,
    "aws-arn": caller?.arn,
    "aws-user-id": caller?.userId,
  };
  for (const [claim, matcher] of rule.claims)
    await checkValue(checks, claim, matcher, found[claim as keyof typeof found]);
  return caller;
}

function readRequest(token: string, checks: Checks): SignedRequest | undefined {
  try {
    return parseSignedRequest(token);
  } catch (error) {
    if (!(error instanceof WharfError)) throw error;
    const expected = "a signed GetCallerIdentity request";
    checks.add({ claim: "token", expected, found: "something else", ok: false }, malformedToken);
    return undefined;
  }
}

function checkHeaders(
  request: SignedRequest,
  { identity, endpoint, audiences }: AwsTerms,
  checks: Checks,
): void {
  for (const [claim, found, accepted] of [
    ["host", request.host, [new URL(endpoint).host]],
    ["aud", request.audience, audiences],
    ["identity", request.identity, [identity]],
  ] as const) {
    const check = { claim, expected: accepted.join(" or "), found, ok: accepted.includes(found) };
    checks.add(check, () => unauthenticated(`invalid "${claim}"`));
  }
}

function checkAge({ signed }: SignedRequest, now: number, checks: Checks): void {
  const old = now - signed > OLDEST_MS;
  const [from, to] = [now - OLDEST_MS, now + AHEAD_MS].map((ms) => new Date(ms).toISOString());
  checks.add(
    {
      claim: "x-amz-date",
      expected: `between ${from} and ${to}`,
      found: new Date(signed).toISOString(),
      ok: !old && signed - now <= AHEAD_MS,
    },
    () => unauthenticated(old ? "the token has expired" : "the token is from the future"),
  );
}

/** Asks AWS who signed, unless the request is refused already. */
async function askAws(
  request: SignedRequest,
  { endpoint }: AwsTerms,
  checks: Checks,
): Promise<AwsCaller | undefined> {
  const signature = { claim: "signature", expected: "accepted by AWS" };
  if (!checks.passed) {
    checks.add({ ...signature, found: "not looked at", ok: false });
    return undefined;
  }
  try {
    const caller = await replay(request, endpoint);
    checks.add({ ...signature, found: "accepted", ok: true });
    return caller;
  } catch (error) {
    if (!(error instanceof FetchError)) throw error;
    const wrong = error.message.includes("status 4");
    checks.add({ ...signature, found: wrong ? "not accepted" : error.message, ok: false }, () =>
      wrong
        ? unauthenticated("AWS does not accept the signature")
        : new WharfError("UNAVAILABLE", `AWS: ${error.message}`, undefined, error),
    );
    return undefined;
  }
}
