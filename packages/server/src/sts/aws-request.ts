import type { AwsCaller } from "./aws.ts";
import { malformed } from "./checks.ts";
import { FetchError, fetchJson } from "./fetch-json.ts";

/** The one request that AWS is ever sent on behalf of a token. */
const METHOD = "POST";
const TARGET = "/?Action=GetCallerIdentity&Version=2011-06-15";

/** The headers that bind a request to us and to an identity, as clients spell them. */
const AUDIENCE_HEADERS = ["wharf-audience", "chainguard-audience"];
const IDENTITY_HEADERS = ["wharf-identity", "chainguard-identity"];

/** A few hundred bytes of headers and a session token. */
const LONGEST = 16_384;

/** A signed request as it was written down, taken apart. */
export interface SignedRequest {
  readonly host: string;
  readonly audience: string;
  readonly identity: string;
  /** When it was signed, in milliseconds since 1970. */
  readonly signed: number;
  readonly headers: ReadonlyMap<string, string>;
}

/**
 * Reads a token that is a signed request in URL-safe base64. Strict: anything but the one request,
 * a header twice, or a header that matters and is not signed, is refused.
 *
 * @example parseSignedRequest(token).identity
 */
export function parseSignedRequest(token: string): SignedRequest {
  if (token.length > LONGEST) throw malformed();
  const text = Buffer.from(token, "base64url").toString("latin1");
  const [head, body = ""] = text.split("\r\n\r\n", 2);
  const [line, ...lines] = (head ?? "").split("\r\n");
  if (line !== `${METHOD} ${TARGET} HTTP/1.1` || body !== "") throw malformed();
  const headers = readHeaders(lines);
  const audienceHeader = AUDIENCE_HEADERS.find((name) => headers.has(name)) ?? "";
  const identityHeader = IDENTITY_HEADERS.find((name) => headers.has(name)) ?? "";
  const signedHeaders = signedHeadersOf(headers.get("authorization") ?? "");
  for (const needed of ["host", "x-amz-date", audienceHeader, identityHeader]) {
    if (!headers.has(needed) || !signedHeaders.includes(needed)) throw malformed();
  }
  return {
    host: headers.get("host") as string,
    audience: headers.get(audienceHeader) as string,
    identity: headers.get(identityHeader) as string,
    signed: readDate(headers.get("x-amz-date") as string),
    headers,
  };
}

/** Sends the request to AWS, which checks the signature and says whose it is. */
export async function replay({ headers }: SignedRequest, endpoint: string): Promise<AwsCaller> {
  const sent = Object.fromEntries([...headers].filter(([name]) => name !== "content-length"));
  const url = new URL(TARGET, endpoint);
  const answer = await fetchJson(url, {
    // The operator chose the endpoint, not whoever sent the token.
    anywhere: true,
    method: METHOD,
    headers: { ...sent, accept: "application/json", "content-length": "0" },
  });
  const result = (answer as Answer)?.GetCallerIdentityResponse?.GetCallerIdentityResult;
  const { Account: account, Arn: arn, UserId: userId } = result ?? {};
  if (!account || !arn || !userId) throw new FetchError("the answer does not say who signed");
  return { account, arn, userId };
}

interface Answer {
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
    if (name === undefined || headers.has(name)) throw malformed();
    headers.set(name, match?.[2]?.trimEnd() ?? "");
  }
  return headers;
}

function signedHeadersOf(authorization: string): string[] {
  const match = /^AWS4-HMAC-SHA256 .*SignedHeaders=([a-z0-9;-]+)(?:,|$)/.exec(authorization);
  return match?.[1]?.split(";") ?? [];
}

function readDate(text: string): number {
  const match = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(text);
  if (match === null) throw malformed();
  const [, year, month, day, hour, minute, second] = match;
  const time = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  // Comparing with no time at all would let it be any age.
  if (Number.isNaN(time)) throw malformed();
  return time;
}
