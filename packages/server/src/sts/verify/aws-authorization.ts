/** The Authorization header of a request that is signed with AWS Signature Version 4. */
export interface AwsAuthorization {
  /** The day that the signing key is for, as in "20260726". */
  readonly date: string;
  /** The names of the signed headers, in lower case and in order. */
  readonly signedHeaders: readonly string[];
  /** Lower-case hex. */
  readonly signature: string;
}

const ALGORITHM = "AWS4-HMAC-SHA256 ";

/** The header must have each of these parameters exactly once, and no others. */
const PARAMETERS = ["Credential", "SignedHeaders", "Signature"];

/** Access key, date, region and service. */
const CREDENTIAL = /^\w{1,128}\/(\d{8})\/[a-z0-9-]{1,64}\/sts\/aws4_request$/;

const HEADER_NAMES = /^[a-z0-9-]+(?:;[a-z0-9-]+)*$/;
const SIGNATURE = /^[0-9a-f]{64}$/;

/**
 * Parses the header as AWS does: `AWS4-HMAC-SHA256 Credential=…, SignedHeaders=…, Signature=…`, in any
 * order, with or without spaces after the commas. Undefined for anything else: AWS might interpret a
 * missing, unknown, empty or repeated parameter differently.
 */
export function parseAuthorization(header: string): AwsAuthorization | undefined {
  if (!header.startsWith(ALGORITHM)) return undefined;
  const parameters = new Map<string, string>();
  for (const part of header.slice(ALGORITHM.length).split(",")) {
    const text = part.trim();
    const equals = text.indexOf("=");
    const name = text.slice(0, Math.max(equals, 0));
    if (!PARAMETERS.includes(name) || parameters.has(name)) return undefined;
    parameters.set(name, text.slice(equals + 1));
  }
  const [credential = "", names = "", signature = ""] = PARAMETERS.map((name) =>
    parameters.get(name),
  );
  const date = CREDENTIAL.exec(credential)?.[1];
  if (date === undefined || !HEADER_NAMES.test(names) || !SIGNATURE.test(signature))
    return undefined;
  const signedHeaders = names.split(";");
  // AWS signs headers in strictly ascending order, so no name occurs twice.
  const inOrder = signedHeaders.every(
    (name, at) => at === 0 || (signedHeaders[at - 1] as string) < name,
  );
  return inOrder ? { date, signedHeaders, signature } : undefined;
}
