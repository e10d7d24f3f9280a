import { createPublicKey, type KeyObject } from "node:crypto";

/** Larger RSA keys take long to verify with, and nobody has them. */
const RSA_BITS = { min: 2_048, max: 8_192 };

/** Curves, with the names that users read. */
const CURVES: Readonly<Record<string, string>> = {
  prime256v1: "P-256",
  secp384r1: "P-384",
  secp521r1: "P-521",
};

const PEM_BLOCK = /-----BEGIN ([A-Z ]+)-----([A-Za-z0-9+/=\s]*)-----END \1-----\s*/gy;

/** The contents of PEM blocks with a label, as DER; undefined for a text that has anything else. */
export function pemBlocks(text: string, label: string): Buffer[] | undefined {
  const trimmed = text.trim();
  const blocks = [...trimmed.matchAll(PEM_BLOCK)];
  const length = blocks.reduce((sum, [block]) => sum + block.length, 0);
  if (length !== trimmed.length || blocks.some(([, name]) => name !== label)) return undefined;
  return blocks.map(([, , base64 = ""]) => Buffer.from(base64, "base64"));
}

/** A public key as DER; undefined if it is none. */
export function keyOf(der: Buffer): KeyObject | undefined {
  try {
    return createPublicKey({ key: der, format: "der", type: "spki" });
  } catch {
    return undefined;
  }
}

/** Why a text is no public key to verify signatures with: a predicate, or undefined if it is one. */
export function publicKeyProblem(text: string): string | undefined {
  const blocks = pemBlocks(text, "PUBLIC KEY");
  const [first] = blocks ?? [];
  if (first === undefined || blocks?.length !== 1) {
    return "must be one public key as PEM: -----BEGIN PUBLIC KEY-----";
  }
  const key = keyOf(first);
  if (key === undefined) return "is not a public key that can be read";
  const { asymmetricKeyType: type, asymmetricKeyDetails: details = {} } = key;
  const { namedCurve = "", modulusLength = 0 } = details;
  if (type === "ed25519" || (type === "ec" && namedCurve in CURVES)) return undefined;
  if (type === "rsa" && modulusLength >= RSA_BITS.min && modulusLength <= RSA_BITS.max) {
    return undefined;
  }
  const found = [type, namedCurve, modulusLength || ""].filter(Boolean).join(" ");
  const curves = Object.values(CURVES).join(", ");
  return `must be ECDSA (${curves}), Ed25519, or RSA of ${RSA_BITS.min} to ${RSA_BITS.max} bits, not ${found}`;
}
