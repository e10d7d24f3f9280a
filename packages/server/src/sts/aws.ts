import type { Identity_AWSIdentity } from "@wharf/contract";
import { RE2JS } from "re2js";
import { unauthenticated, WharfError } from "../errors.ts";
import { replay, type SignedRequest } from "./aws-request.ts";
import { FetchError } from "./fetch-json.ts";
import type { Check } from "./rule.ts";

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
  /** Where to ask; the host that requests must be signed for. */
  readonly endpoint: string;
  /** What the audience header may say. */
  readonly audiences: readonly string[];
}

/**
 * Refuses a signed request that is not fresh, or not meant for us and this identity; then asks AWS.
 *
 * @example const caller = await awsCaller(parseSignedRequest(token), identity.uid, terms, Date.now());
 */
export async function awsCaller(
  request: SignedRequest,
  identity: string,
  { endpoint, audiences }: AwsTerms,
  now: number,
): Promise<AwsCaller> {
  if (request.host !== new URL(endpoint).host) throw unauthenticated('invalid "host"');
  if (!audiences.includes(request.audience)) throw unauthenticated('invalid "aud"');
  if (request.identity !== identity) throw unauthenticated('invalid "identity"');
  if (now - request.signed > OLDEST_MS) throw unauthenticated("the token has expired");
  if (request.signed - now > AHEAD_MS) throw unauthenticated("the token is from the future");
  try {
    return await replay(request, endpoint);
  } catch (error) {
    if (!(error instanceof FetchError)) throw error;
    if (error.message.includes("status 4"))
      throw unauthenticated("AWS does not accept the signature");
    throw new WharfError("UNAVAILABLE", `AWS: ${error.message}`, undefined, error);
  }
}

/**
 * Compares what AWS says with what the identity asks for.
 *
 * @example const refused = firstFailure(checkAws(identity.relationship.value, caller));
 */
export function checkAws(
  { awsAccount, awsArn, awsUserId }: Identity_AWSIdentity,
  caller: AwsCaller,
): Check[] {
  const check = (claim: string, found: string, wanted: string, isPattern: boolean): Check => ({
    claim,
    found,
    expected: isPattern ? `/${wanted}/` : wanted,
    ok:
      wanted !== "" &&
      (isPattern ? RE2JS.compile(`^(?:${wanted})$`).matches(found) : found === wanted),
  });
  return [
    check("aws-acct", caller.account, awsAccount, false),
    check("aws-arn", caller.arn, awsArn.value ?? "", awsArn.case === "arnPattern"),
    check("aws-user-id", caller.userId, awsUserId.value ?? "", awsUserId.case === "userIdPattern"),
  ];
}
