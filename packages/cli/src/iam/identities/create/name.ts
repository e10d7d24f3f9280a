/** A name for an identity that was given none, from what it stands for. */
export function nameFrom(...words: readonly string[]): string {
  return words
    .join("-")
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, "-")
    .slice(0, 255);
}

/** Text as part of a pattern, where it stands for nothing but itself. */
export function quoted(text: string): string {
  return text.replaceAll(/[\\^$.|?*+()[\]{}]/g, "\\$&");
}
