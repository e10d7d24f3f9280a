import type { KeyObject } from "node:crypto";

/**
 * The algorithms that sign tokens. ES256 (ECDSA on P-256) is the default: shorter tokens than RSA, and
 * sixteen times the signatures per second. RS256 is for audiences that accept nothing else.
 */
export const ALGORITHMS = ["ES256", "RS256"] as const;

export type Algorithm = (typeof ALGORITHMS)[number];

/**
 * Signature algorithm of a key. It follows from the key itself, never from the header of a
 * token, so that no token can choose how its signature is verified.
 */
export function algorithmOf({ asymmetricKeyType }: KeyObject): Algorithm {
  if (asymmetricKeyType === "ec") return "ES256";
  if (asymmetricKeyType === "rsa") return "RS256";
  throw new Error(`keys of type ${asymmetricKeyType} sign no tokens`);
}
