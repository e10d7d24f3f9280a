import { hash } from "node:crypto";

/** Longer texts are cut and get a digest, which makes them longer than any text that is not cut. */
const MAX_LENGTH = 128;

/**
 * A text as it is stored in an index, where PostgreSQL rejects long ones: different texts stay different.
 * Lone surrogates, which databases reject, become U+FFFD.
 */
export function indexable(text: string): string {
  if (text.length <= MAX_LENGTH) return text.toWellFormed();
  return `${text.slice(0, MAX_LENGTH).toWellFormed()} ${hash("sha256", text, "hex")}`;
}
