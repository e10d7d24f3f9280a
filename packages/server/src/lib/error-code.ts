/** The code of an error of the system or of a database, such as `ECONNREFUSED` or `23505`; empty for others. */
export function codeOf(error: unknown): string {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === "string" ? code : "";
}
