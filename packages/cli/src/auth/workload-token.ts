import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { text } from "node:stream/consumers";
import { usageError } from "../errors.ts";
import type { WorkloadToken } from "./cache/login.ts";

/** A workload's own token: where it is found again and again, or itself, this once. */
export type GivenToken = WorkloadToken | { readonly kind: "value"; readonly token: string };

/**
 * What `--identity-token` means: a file, `-` for standard input, or the token itself. Without it,
 * the platform is asked.
 */
export async function readIdentityToken(given: string | undefined): Promise<GivenToken> {
  if (given === undefined) return { kind: "ambient" };
  if (given === "-") {
    const token = (await text(process.stdin)).trim();
    if (token === "") throw usageError("there is no token on standard input");
    return { kind: "value", token };
  }
  if (existsSync(given)) return { kind: "file", path: resolve(given) };
  // Not told what it is: it may be a token with a typing error.
  if (given.includes("/")) throw usageError("--identity-token names a file that does not exist");
  return { kind: "value", token: given.trim() };
}

/** The token itself, as it is now. */
export async function workloadToken(from: GivenToken, issuer: string): Promise<string> {
  if (from.kind === "value") return from.token;
  const { tokens } = await import("@wharf/client/node");
  const source = from.kind === "file" ? tokens.file(from.path) : tokens.ambient();
  if (source === undefined) {
    throw usageError(
      "this is no platform that gives tokens to what runs on it, as far as can be seen",
      "give --identity-token: a file, or - for standard input",
    );
  }
  // What identities expect, unless they say otherwise.
  return (await source.get({ audience: new URL(issuer).hostname })).token;
}
