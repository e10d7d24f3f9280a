import { generateKeyPairSync, type KeyObject, randomUUID, sign } from "node:crypto";

/** Whose tokens these are: no site, only a name that tells them from other identities. */
export const PULL_TOKEN_ISSUER = "https://pull-token.wharf.internal";

/** A key that signs one token and is then forgotten. */
export interface Minting {
  readonly subject: string;
  /** The public key, as the identity has it. */
  readonly jwks: string;
  /** Signs the token; the audience is whom the identity accepts it for. */
  token(audience: string, expires: Date): string;
}

/** Makes a key pair for one pull token. */
export function mint(): Minting {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const subject = randomUUID();
  const kid = randomUUID();
  const jwk = { ...publicKey.export({ format: "jwk" }), kid, alg: "ES256", use: "sig" };
  return {
    subject,
    jwks: JSON.stringify({ keys: [jwk] }),
    token: (audience, expires) =>
      signed(privateKey, kid, {
        iss: PULL_TOKEN_ISSUER,
        sub: subject,
        aud: audience,
        iat: Math.floor(Date.now() / 1000),
        exp: Math.floor(expires.getTime() / 1000),
      }),
  };
}

function signed(key: KeyObject, kid: string, claims: object): string {
  const encoded = (part: object) => Buffer.from(JSON.stringify(part)).toString("base64url");
  const content = `${encoded({ alg: "ES256", typ: "JWT", kid })}.${encoded(claims)}`;
  // JWS has the two numbers of a signature one after the other, not as ASN.1.
  const signature = sign("sha256", Buffer.from(content), { key, dsaEncoding: "ieee-p1363" });
  return `${content}.${signature.toString("base64url")}`;
}
