import { PULL_TOKEN_ISSUER } from "./trust.ts";

const ALGORITHM = { name: "ECDSA", namedCurve: "P-256" } as const;

/** A key pair that signs a single token. The private key never leaves the browser, and is forgotten with the page. */
export interface PullTokenKey {
  readonly subject: string;
  /** The public key as a JSON Web Key Set. */
  readonly jwks: string;
  signToken(audience: string, expires: Date): Promise<string>;
}

export async function generatePullTokenKey(): Promise<PullTokenKey> {
  const { privateKey, publicKey } = await crypto.subtle.generateKey(ALGORITHM, false, ["sign"]);
  const subject = crypto.randomUUID();
  const kid = crypto.randomUUID();
  const { kty, crv, x, y } = await crypto.subtle.exportKey("jwk", publicKey);
  const key = { kty, crv, x, y, kid, alg: "ES256", use: "sig" };
  return {
    subject,
    jwks: JSON.stringify({ keys: [key] }),
    async signToken(audience, expires) {
      const header = { alg: "ES256", typ: "JWT", kid };
      const claims = {
        iss: PULL_TOKEN_ISSUER,
        sub: subject,
        aud: audience,
        iat: Math.floor(Date.now() / 1000),
        exp: Math.floor(expires.getTime() / 1000),
      };
      const content = [header, claims].map((part) => base64url(bytesOf(JSON.stringify(part))));
      const signed = bytesOf(content.join("."));
      const digest = { name: "ECDSA", hash: "SHA-256" };
      const signature = await crypto.subtle.sign(digest, privateKey, signed);
      return [...content, base64url(new Uint8Array(signature))].join(".");
    },
  };
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}

function base64url(bytes: Uint8Array): string {
  const text = btoa(String.fromCharCode(...bytes));
  return text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
