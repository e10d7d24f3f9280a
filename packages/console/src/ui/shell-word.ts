/** Quotes a text as one word of a POSIX shell, if it needs that. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : shellQuoted(text);
}

/** A text in single quotes: a quote inside ends them, is escaped, and begins them again. */
export function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
