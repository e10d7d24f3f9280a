import type { Timestamp } from "@bufbuild/protobuf/wkt";
import type { GenerateScimTokenResponse, RegenerateScimTokenResponse } from "@wharf/client";
import type { Context } from "../../../context.ts";
import { usageError } from "../../../errors.ts";
import type { Column } from "../../../output/columns.ts";
import { timeAhead } from "../../../resource/time.ts";

type Made = GenerateScimTokenResponse | RegenerateScimTokenResponse;

const COLUMNS: readonly Column<Made>[] = [
  { header: "Token", value: ({ token }) => token },
  { header: "Address", value: ({ endpointUrl }) => endpointUrl },
  { header: "Expires", value: ({ expireTime }) => expireTime },
];

/** How long a token lives, as requests have it. */
export function lifeOf(args: {
  readonly expiration: string | undefined;
  readonly neverExpires: boolean;
}): { neverExpires: boolean; expireTime?: Timestamp } {
  const { expiration, neverExpires } = args;
  if (expiration === undefined) return { neverExpires };
  if (neverExpires) throw usageError("--expiration and --never-expires exclude each other");
  return { neverExpires, expireTime: timeAhead("--expiration", expiration) };
}

/** Prints a token alone on its line, and what goes with it on stderr. */
export async function printToken(context: Context, made: Made): Promise<void> {
  const { out, err, settings } = context;
  err.note(`the token is shown this once; the provider sends it to ${made.endpointUrl}`);
  if (out.format === "table" && settings.format === undefined) return out.text(made.token);
  await out.one(made, COLUMNS, { id: ({ identityProviderUid }) => identityProviderUid });
}
