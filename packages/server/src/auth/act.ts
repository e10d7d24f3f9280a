import { readBearer } from "../lib/bearer.ts";

/** The claims of the public contract that are texts. */
interface Claims {
  readonly sub?: unknown;
  readonly email?: unknown;
  readonly act?: { readonly [name: string]: unknown };
}

/**
 * The claims of the token that a caller exchanged for theirs, and the address, as JSON: values are texts, as receivers of
 * events expect. Empty without any. The token has been verified: it authenticated the caller.
 */
export function actOf(authorization: string | undefined, subject: string): string {
  const [, payload] = (readBearer(authorization) ?? "").split(".");
  if (payload === undefined || subject === "") return "";
  const text = Buffer.from(payload, "base64url").toString();
  // Most tokens have none, and every write asks.
  if (!text.includes('"act"')) return "";
  const claims = JSON.parse(text) as Claims;
  if (claims.sub !== subject || claims.act === undefined) return "";
  const { aud, iss, sub } = claims.act;
  const texts = Object.entries({ aud, iss, sub, email: claims.email }).flatMap(([name, value]) => {
    if (value === undefined || value === "") return [];
    return [[name, Array.isArray(value) ? value.join(",") : String(value)] as const];
  });
  return texts.length === 0 ? "" : JSON.stringify(Object.fromEntries(texts));
}
