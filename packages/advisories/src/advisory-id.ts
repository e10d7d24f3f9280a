import { createHash } from "node:crypto";

/** Without the letters and digits that are taken for one another, or that make words. */
const ALPHABET = "23456789cfghjmpqrvwx";

/**
 * The id of the advisory on one vulnerability in one place, where whoever wrote it gave none. It
 * follows from what it is about, so that whoever reads the same again finds it again.
 *
 * @example advisoryIdOf(["apk", "openssl", "x86_64", "CVE-2026-0001"]) // "CGA-…"
 */
export function advisoryIdOf(about: readonly string[]): string {
  const digest = createHash("sha256").update(JSON.stringify(about)).digest();
  const letters = [...digest.subarray(0, 12)].map((byte) => ALPHABET[byte % ALPHABET.length]);
  return `CGA-${[0, 4, 8].map((at) => letters.slice(at, at + 4).join("")).join("-")}`;
}
