import { hash } from "node:crypto";

/** Texts up to this long are what they are. What stands for a longer one is longer than that, too. */
const LONGEST = 128;

/**
 * A text as it stands in an index, where PostgreSQL keeps no long ones: what differs stays different.
 * Halves of characters, which no database takes, become the sign for what is not known.
 *
 * @example indexable("CVE-2026-0001") // "CVE-2026-0001"
 */
export function indexable(text: string): string {
  if (text.length <= LONGEST) return text.toWellFormed();
  return `${text.slice(0, LONGEST).toWellFormed()} ${hash("sha256", text, "hex")}`;
}
