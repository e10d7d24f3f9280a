const [ANY_TEXT, ANY_CHARACTER] = ["*".charCodeAt(0), "?".charCodeAt(0)];

/**
 * Whether a text matches a pattern in which `*` stands for any characters and `?` for one. A mismatch only goes back to the
 * last star, so the steps are at most the product of both lengths, whatever the pattern.
 */
export function globMatches(pattern: string, text: string): boolean {
  let [at, from] = [0, 0];
  let [afterStar, resumed] = [-1, 0];
  while (from < text.length) {
    const code = pattern.charCodeAt(at);
    if (code === ANY_TEXT) {
      at += 1;
      [afterStar, resumed] = [at, from];
    } else if (code === ANY_CHARACTER || code === text.charCodeAt(from)) {
      at += 1;
      from += 1;
    } else if (afterStar >= 0) {
      resumed += 1;
      [at, from] = [afterStar, resumed];
    } else return false;
  }
  while (pattern.charCodeAt(at) === ANY_TEXT) at += 1;
  return at === pattern.length;
}

/** Whether a text matches one of the patterns. Without patterns, everything matches. */
export function matchesAny(patterns: readonly string[], text: string): boolean {
  return patterns.length === 0 || patterns.some((pattern) => globMatches(pattern, text));
}
