import { usageError } from "../errors.ts";

/** What `--claim name=value` and its like say; values may have `=` themselves. */
export function pairsOf(source: string, texts: readonly string[]): Record<string, string> {
  const pairs = new Map<string, string>();
  for (const text of texts) {
    const at = text.indexOf("=");
    if (at < 1) throw usageError(`${source} must be NAME=VALUE, not "${text}"`);
    const name = text.slice(0, at);
    if (pairs.has(name)) throw usageError(`${source} names ${name} twice`);
    pairs.set(name, text.slice(at + 1));
  }
  return Object.fromEntries(pairs);
}
