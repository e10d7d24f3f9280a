/** The private members of JSON Web Keys (RFC 7518, 6). */
const PRIVATE_MEMBERS = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"];

/** The problem of a text that is not a JSON Web Key Set with public keys only. */
export function jwksProblem(text: string): string | undefined {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    return "must be a JSON Web Key Set";
  }
  const keys = (document as { keys?: unknown } | null)?.keys;
  if (!Array.isArray(keys) || keys.length === 0) return "must hold at least one key";
  for (const key of keys) {
    if (typeof key !== "object" || key === null || typeof key.kty !== "string") {
      return "must hold keys with a kty";
    }
    if (PRIVATE_MEMBERS.some((member) => member in key)) return "must hold public keys only";
  }
  return undefined;
}
