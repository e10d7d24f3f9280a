/** A text as databases store it: PostgreSQL accepts no NUL, and none of them half of a surrogate pair. */
export function storable(text: string): string {
  return text.toWellFormed().replaceAll("\0", "\uFFFD");
}
