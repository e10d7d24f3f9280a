import { sha256 } from "@noble/hashes/sha2.js";

/** Without characters that are easily confused, and without vowels. */
const ALPHABET = "23456789cfghjmpqrvwx";

/**
 * The id of an advisory whose document has none. It is a hash of the subject, so that every import of the same
 * document derives the same id.
 *
 * @example advisoryIdOf(["apk", "openssl", "x86_64", "CVE-2026-0001"]) // "CGA-…"
 */
export function advisoryIdOf(subject: readonly string[]): string {
  const digest = sha256(new TextEncoder().encode(JSON.stringify(subject)));
  const letters = [...digest.subarray(0, 12)].map((byte) => ALPHABET[byte % ALPHABET.length]);
  return `CGA-${[0, 4, 8].map((at) => letters.slice(at, at + 4).join("")).join("-")}`;
}
