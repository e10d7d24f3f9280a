import { hash, type KeyObject } from "node:crypto";

const BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** How much of the digest the name of a key tells: 240 bits, which are 48 letters. */
const BYTES = 30;

/**
 * The name by which CNCF Distribution knows a public key. Its library of old, libtrust, made it: base32
 * of a digest of the key, in groups of four.
 *
 * @example keyId(publicKey) // "PYYO:TEWU:V7JH:26JV:AQTZ:LJC3:SXVJ:XGHA:34F2:2LAQ:ZRMK:Z7Q6"
 */
export function keyId(publicKey: KeyObject): string {
  const der = publicKey.export({ format: "der", type: "spki" });
  const digest = hash("sha256", der, "buffer").subarray(0, BYTES);
  let letters = "";
  let bits = 0;
  let held = 0;
  for (const byte of digest) {
    held = (held << 8) | byte;
    for (bits += 8; bits >= 5; bits -= 5) letters += BASE32[(held >> (bits - 5)) & 31];
    held &= (1 << bits) - 1;
  }
  return letters.replace(/(.{4})(?=.)/g, "$1:");
}
