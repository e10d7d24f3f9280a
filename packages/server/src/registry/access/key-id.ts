import { hash, type KeyObject } from "node:crypto";

const BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** 240 bits of the digest make 48 letters. */
const DIGEST_BYTES = 30;

/** The key id that CNCF Distribution expects, as defined by libtrust: base32 of a digest of the key. */
export function keyId(publicKey: KeyObject): string {
  const der = publicKey.export({ format: "der", type: "spki" });
  const digest = hash("sha256", der, "buffer").subarray(0, DIGEST_BYTES);
  let letters = "";
  let bits = 0;
  let buffer = 0;
  for (const byte of digest) {
    buffer = (buffer << 8) | byte;
    for (bits += 8; bits >= 5; bits -= 5) letters += BASE32[(buffer >> (bits - 5)) & 31];
    buffer &= (1 << bits) - 1;
  }
  return letters.replace(/(.{4})(?=.)/g, "$1:");
}
