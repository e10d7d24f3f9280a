import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { text } from "node:stream/consumers";
import { usageError } from "../errors.ts";
import type { WorkloadToken } from "./cache/login.ts";
import { audienceOf, noWorkloadToken } from "./workload-problems.ts";

/** A workload's own token: its location, or the token itself, which cannot be renewed. */
export type WorkloadTokenInput = WorkloadToken | { readonly kind: "value"; readonly token: string };

/** Reads `--identity-token`: a file, `-` for standard input, or the token itself. */
export async function readIdentityToken(option: string | undefined): Promise<WorkloadTokenInput> {
  if (option === undefined) return { kind: "ambient" };
  if (option === "-") return { kind: "value", token: await readStandardInput("--identity-token") };
  if (existsSync(option)) return { kind: "file", path: resolve(option) };
  // Does not quote the value: it may be a token with a typo.
  if (option.includes("/")) throw usageError("--identity-token: the file does not exist");
  return { kind: "value", token: option.trim() };
}

/** The secret `-` is read from standard input, since other users can read command lines. */
export async function readSecret(
  source: string,
  option: string | undefined,
): Promise<string | undefined> {
  return option === "-" ? readStandardInput(source) : option?.trim();
}

async function readStandardInput(source: string): Promise<string> {
  const input = (await text(process.stdin)).trim();
  if (input === "") throw usageError(`${source} -: standard input is empty`);
  return input;
}

/** The current token of a workload. */
export async function workloadToken(from: WorkloadTokenInput, issuer: string): Promise<string> {
  if (from.kind === "value") return from.token;
  const { tokens } = await import("@wharf/client/node");
  const source = from.kind === "file" ? tokens.file(from.path) : tokens.ambient();
  if (source === undefined) {
    throw noWorkloadToken(process.env, issuer);
  }
  return (await source.get({ audience: audienceOf(issuer) })).token;
}
