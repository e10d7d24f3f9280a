/** Signatures of releases, verified by the library with which npm verifies packages. */
import assert from "node:assert/strict";
import { createHash, createPublicKey, generateKeyPairSync } from "node:crypto";
import { bundleFromJSON } from "@sigstore/bundle";
import { toSignedEntity, Verifier } from "@sigstore/verify";

/** A key pair of a publisher: ECDSA P-256 as PEM. */
export function signingKey(namedCurve = "P-256") {
  return generateKeyPairSync("ec", {
    namedCurve,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
}

/** Verifies a bundle with a public key, and the content of the file that it signs; throws for an invalid one. */
export function verifyBundle(bundle: unknown, publicKey: string, content?: Buffer): void {
  const key = createPublicKey(publicKey);
  const der = key.export({ type: "spki", format: "der" });
  const trusted = {
    certificateAuthorities: [],
    timestampAuthorities: [],
    tlogs: [],
    ctlogs: [],
    publicKey: (hint: string) => {
      assert.equal(hint, createHash("sha256").update(der).digest("base64"));
      return { publicKey: key, validFor: () => true };
    },
  };
  const options = { tlogThreshold: 0, ctlogThreshold: 0, timestampThreshold: 0 };
  new Verifier(trusted, options).verify(toSignedEntity(bundleFromJSON(bundle), content));
}

/** The statement in a bundle, which must be valid. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into statements of every kind.
export function verifiedStatement(bundle: any, publicKey: string): any {
  verifyBundle(bundle, publicKey);
  return JSON.parse(Buffer.from(bundle.dsseEnvelope.payload, "base64").toString());
}
