import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { Identity } from "@wharf/client";
import { RelationshipType } from "@wharf/contract";
import type { Context } from "../../context.ts";
import { PULL_TOKEN_ISSUER } from "./mint.ts";

/** What to look for. */
export interface Wanted {
  readonly name?: string;
  /** The uid of a group: those in it and below. */
  readonly below?: string;
}

/** The identities that are pull tokens, oldest name first. */
export async function* findPullTokens(
  { client, signal }: Context,
  { name = "", below }: Wanted,
): AsyncGenerator<Identity, void, undefined> {
  const { identities } = await client();
  const uidp = below === undefined ? {} : { uidp: { descendantsOf: below } };
  const request = { name, relationshipType: RelationshipType.STATIC, orderBy: "name", ...uidp };
  for await (const identity of identities.listAll(request, { signal })) {
    if (isPullToken(identity)) yield identity;
  }
}

export function isPullToken({ relationship: { case: kind, value } }: Identity): boolean {
  return kind === "staticKeys" && value.issuer === PULL_TOKEN_ISSUER;
}

/** When a pull token ends. */
export function endOf({ relationship: { case: kind, value } }: Identity): Date {
  const time = kind === "staticKeys" ? value.expirationTime : undefined;
  return time === undefined ? new Date(0) : timestampDate(time);
}
