import { isCanonicalBase64url } from "../../lib/crypto/base64url.ts";
import { FetchError, fetchJson } from "../../lib/net/fetch-json.ts";
import type { AwsCaller } from "./aws.ts";
import { type AwsAuthorization, parseAuthorization } from "./aws-authorization.ts";
import { malformedToken } from "./checks.ts";

/** The only request that is ever sent to AWS on behalf of a token. */
const METHOD = "POST";
const TARGET = "/?Action=GetCallerIdentity&Version=2011-06-15";

/** The headers that bind a request to this installation and to an identity; each has two names. */
const AUDIENCE_HEADERS = ["wharf-audience", "chainguard-audience"];
const IDENTITY_HEADERS = ["wharf-identity", "chainguard-identity"];

/** A few hundred bytes of headers and a session token. */
const MAX_TOKEN_LENGTH = 16_384;

/** A parsed signed request. */
export interface SignedRequest {
  readonly host: string;
  readonly audience: string;
  readonly identity: string;
  /** The time of the signature, in milliseconds since 1970. */
  readonly signed: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly authorization: AwsAuthorization;
}

/**
 * Parses a token that is a signed request in base64url. Rejects any other request, a header that occurs
 * twice or under both of its names, and a relevant header that is not signed.
 */
export function parseSignedRequest(token: string): SignedRequest {
  if (token.length > MAX_TOKEN_LENGTH) throw malformedToken();
  const [head, body = ""] = decoded(token).split("\r\n\r\n", 2);
  const [line, ...lines] = (head ?? "").split("\r\n");
  if (line !== `${METHOD} ${TARGET} HTTP/1.1` || body !== "") throw malformedToken();
  const headers = readHeaders(lines);
  const authorization = parseAuthorization(headers.get("authorization") ?? "");
  if (authorization === undefined) throw malformedToken();
  const { signedHeaders, date } = authorization;
  // Signed headers must be present, and headers that we rely on must be signed.
  if (!signedHeaders.every((name) => headers.has(name))) throw malformedToken();
  const signedValue = (...names: readonly string[]): string => {
    const [name, another] = names.filter((one) => headers.has(one));
    if (name === undefined || another !== undefined || !signedHeaders.includes(name))
      throw malformedToken();
    return headers.get(name) as string;
  };
  const signed = signedValue("x-amz-date");
  if (!signed.startsWith(date)) throw malformedToken();
  return {
    host: signedValue("host"),
    audience: signedValue(...AUDIENCE_HEADERS),
    identity: signedValue(...IDENTITY_HEADERS),
    signed: readDate(signed),
    headers,
    authorization,
  };
}

/** Padding is optional. Apart from that, only the canonical encoding is accepted. */
function decoded(token: string): string {
  const text = token.replace(/={1,2}$/, "");
  const isPadded = text.length !== token.length;
  if (!isCanonicalBase64url(text) || (isPadded && token.length % 4 !== 0)) throw malformedToken();
  return Buffer.from(text, "base64url").toString("latin1");
}

/** Forwards the request to AWS, which verifies the signature and returns the signer. */
export async function getCallerIdentity(
  { headers }: SignedRequest,
  endpoint: string,
): Promise<AwsCaller> {
  const sent = Object.fromEntries([...headers].filter(([name]) => name !== "content-length"));
  const url = new URL(TARGET, endpoint);
  const response = await fetchJson(url, {
    // The operator configured the endpoint; callers cannot choose it.
    anywhere: true,
    method: METHOD,
    headers: { ...sent, accept: "application/json", "content-length": "0" },
  });
  const result = (response as AwsResponse)?.GetCallerIdentityResponse?.GetCallerIdentityResult;
  const { Account: account, Arn: arn, UserId: userId } = result ?? {};
  if (!account || !arn || !userId) throw new FetchError("the response does not name the signer");
  return { account, arn, userId };
}

interface AwsResponse {
  readonly GetCallerIdentityResponse?: {
    readonly GetCallerIdentityResult?: {
      readonly Account?: string;
      readonly Arn?: string;
      readonly UserId?: string;
    };
  };
}

function readHeaders(lines: readonly string[]): Map<string, string> {
  const headers = new Map<string, string>();
  for (const line of lines) {
    const match = /^([A-Za-z0-9-]+):[ \t]*([\x20-\x7e]*)$/.exec(line);
    const name = match?.[1]?.toLowerCase();
    if (name === undefined || headers.has(name)) throw malformedToken();
    headers.set(name, match?.[2]?.trimEnd() ?? "");
  }
  return headers;
}

function readDate(text: string): number {
  const match = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(text);
  if (match === null) throw malformedToken();
  const [, year, month, day, hour, minute, second] = match;
  const time = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  // Comparisons with NaN would accept any age.
  if (Number.isNaN(time)) throw malformedToken();
  return time;
}
