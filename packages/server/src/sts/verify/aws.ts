import { unauthenticated, WharfError } from "../../lib/errors.ts";
import { FetchError } from "../../lib/net/fetch-json.ts";
import { getCallerIdentity, parseSignedRequest, type SignedRequest } from "./aws-request.ts";
import { type Checks, malformedToken } from "./checks.ts";
import { checkValue } from "./matcher.ts";
import type { AwsRule } from "./rule.ts";

/**
 * Identities that authenticate with AWS credentials. The token is a signed GetCallerIdentity request,
 * bound by its headers to this installation and to one identity. AWS verifies it and names the signer.
 */

/** AWS rejects older signatures. */
const MAX_AGE_MS = 15 * 60_000;

/** Tolerance for a signer's clock that is ahead. */
const MAX_CLOCK_SKEW_MS = 5 * 60_000;

/** The signer according to AWS. */
export interface AwsCaller {
  readonly account: string;
  readonly arn: string;
  readonly userId: string;
}

export interface AwsExpectations {
  /** The uid that the request must name. */
  readonly identity: string;
  /** The AWS STS endpoint. Requests must be signed for its host. */
  readonly endpoint: string;
  /** Accepted values of the audience header. */
  readonly audiences: readonly string[];
}

/**
 * Checks that a signed request is fresh, is meant for this installation and this identity, and has a
 * signer who matches the rule. AWS is called only if all checks before it passed. Returns undefined if
 * the signer is unknown.
 */
export async function checkAws(
  rule: AwsRule,
  token: string,
  expectations: AwsExpectations,
  now: number,
  checks: Checks,
): Promise<AwsCaller | undefined> {
  const request = readRequest(token, checks);
  if (request === undefined) return undefined;
  checkHeaders(request, expectations, checks);
  checkAge(request, now, checks);
  const caller = await checkSigner(request, expectations, checks);
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
    checks.add({ claim: "token", expected, found: "another text", ok: false }, malformedToken);
    return undefined;
  }
}

function checkHeaders(
  request: SignedRequest,
  { identity, endpoint, audiences }: AwsExpectations,
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
  const isExpired = now - signed > MAX_AGE_MS;
  const [from, to] = [now - MAX_AGE_MS, now + MAX_CLOCK_SKEW_MS].map((ms) =>
    new Date(ms).toISOString(),
  );
  checks.add(
    {
      claim: "x-amz-date",
      expected: `between ${from} and ${to}`,
      found: new Date(signed).toISOString(),
      ok: !isExpired && signed - now <= MAX_CLOCK_SKEW_MS,
    },
    () =>
      unauthenticated(isExpired ? "the token has expired" : "the token was signed in the future"),
  );
}

/** Gets the signer from AWS, unless a check has failed already. */
async function checkSigner(
  request: SignedRequest,
  { endpoint }: AwsExpectations,
  checks: Checks,
): Promise<AwsCaller | undefined> {
  const signature = { claim: "signature", expected: "accepted by AWS" };
  if (!checks.passed) {
    checks.add({ ...signature, found: "not verified", ok: false });
    return undefined;
  }
  try {
    const caller = await getCallerIdentity(request, endpoint);
    checks.add({ ...signature, found: "accepted", ok: true });
    return caller;
  } catch (error) {
    if (!(error instanceof FetchError)) throw error;
    const isRejected = error.message.includes("status 4");
    const found = isRejected ? "not accepted" : error.message;
    checks.add({ ...signature, found, ok: false }, () =>
      isRejected
        ? unauthenticated("AWS does not accept the signature")
        : new WharfError("UNAVAILABLE", `AWS: ${error.message}`, undefined, error),
    );
    return undefined;
  }
}
