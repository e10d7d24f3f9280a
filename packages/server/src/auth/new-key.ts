import { generateKeyPair, type KeyObject } from "node:crypto";
import { promisify } from "node:util";
import { calculateJwkThumbprint, type JWK } from "jose";
import type { StoredKey } from "../store/tables/keys.ts";
import type { Algorithm } from "./algorithms.ts";

/** As long as the keys of GitHub's and Google's issuers. Longer ones sign several times slower. */
const RSA_BITS = 2048;

/** A key that is not stored yet. */
export interface NewKey extends StoredKey {
  /** The private key as JSON Web Key text. */
  readonly jwk: string;
}

const generate = promisify(generateKeyPair);

/** Generates a key on a thread of its own: an RSA key takes up to a second. */
export async function newSigningKey(now: number, algorithm: Algorithm = "ES256"): Promise<NewKey> {
  const jwk = (await privateKey(algorithm)).export({ format: "jwk" }) as JWK;
  const kid = await calculateJwkThumbprint(jwk);
  return { kid, algorithm, jwk: JSON.stringify(jwk), created: now, retires: null };
}

async function privateKey(algorithm: Algorithm): Promise<KeyObject> {
  const pair =
    algorithm === "ES256"
      ? await generate("ec", { namedCurve: "P-256" })
      : await generate("rsa", { modulusLength: RSA_BITS });
  return pair.privateKey;
}
