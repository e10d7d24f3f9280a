import { generateKeyPairSync, type KeyObject, randomUUID, sign } from "node:crypto";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { Identity } from "@wharf/client";
import { RelationshipType } from "@wharf/contract";
import type { Context } from "../../context.ts";

/** Pull tokens are identities with this issuer. It is only a marker, not a reachable URL. */
export const PULL_TOKEN_ISSUER = "https://pull-token.wharf.internal";

/** A key pair that signs a single token. */
export interface SigningKey {
  readonly subject: string;
  /** The public key as a JSON Web Key Set. */
  readonly jwks: string;
  signToken(audience: string, expires: Date): string;
}

export function generateKey(): SigningKey {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const subject = randomUUID();
  const kid = randomUUID();
  const jwk = { ...publicKey.export({ format: "jwk" }), kid, alg: "ES256", use: "sig" };
  return {
    subject,
    jwks: JSON.stringify({ keys: [jwk] }),
    signToken: (audience, expires) =>
      signJwt(privateKey, kid, {
        iss: PULL_TOKEN_ISSUER,
        sub: subject,
        aud: audience,
        iat: Math.floor(Date.now() / 1000),
        exp: Math.floor(expires.getTime() / 1000),
      }),
  };
}

function signJwt(key: KeyObject, kid: string, claims: object): string {
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString("base64url");
  const content = `${encode({ alg: "ES256", typ: "JWT", kid })}.${encode(claims)}`;
  // JWS signatures are the concatenated integers, not ASN.1.
  const signature = sign("sha256", Buffer.from(content), { key, dsaEncoding: "ieee-p1363" });
  return `${content}.${signature.toString("base64url")}`;
}

export interface PullTokenFilter {
  readonly name?: string;
  /** The UID of a group: pull tokens in it and below. */
  readonly descendantsOf?: string;
}

/** Lists the identities that are pull tokens, by name. */
export async function* listPullTokens(
  { client, signal }: Context,
  { name = "", descendantsOf }: PullTokenFilter,
): AsyncGenerator<Identity, void, undefined> {
  const { identities } = await client();
  const scope = descendantsOf === undefined ? {} : { uidp: { descendantsOf } };
  const request = { name, relationshipType: RelationshipType.STATIC, orderBy: "name", ...scope };
  for await (const identity of identities.listAll(request, { signal })) {
    if (isPullToken(identity)) yield identity;
  }
}

export function isPullToken({ relationship: { case: type, value } }: Identity): boolean {
  return type === "staticKeys" && value.issuer === PULL_TOKEN_ISSUER;
}

export function expirationOf({ relationship: { case: type, value } }: Identity): Date {
  const time = type === "staticKeys" ? value.expirationTime : undefined;
  return time === undefined ? new Date(0) : timestampDate(time);
}
