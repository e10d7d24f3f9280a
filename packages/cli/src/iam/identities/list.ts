import type { Identity } from "@wharf/client";
import { RelationshipType } from "@wharf/contract";
import type { Run } from "../../command/types.ts";
import type { Context } from "../../context.ts";
import { usageError } from "../../errors.ts";
import { printList } from "../../resource/print.ts";
import { isPast } from "../../resource/time.ts";
import { within } from "../../resource/within.ts";
import { expiryOf, IDENTITY_COLUMNS } from "./columns.ts";
import type { listDefinition, TYPES } from "./commands.ts";

export const run: Run<typeof listDefinition> = async (context, args) => {
  await printList(context, await found(context, args), IDENTITY_COLUMNS, {
    what: "identities",
    label: ({ name }) => name,
  });
};

const RELATIONSHIPS = {
  claim_match: RelationshipType.CLAIM_MATCH,
  static: RelationshipType.STATIC,
  aws: RelationshipType.AWS_IDENTITY,
  service_principal: RelationshipType.SERVICE_PRINCIPAL,
  person: RelationshipType.UNSPECIFIED,
} as const;

export interface Wanted {
  readonly parent: string | undefined;
  readonly recursive: boolean;
  readonly expired: boolean;
  readonly type?: (typeof TYPES)[number] | undefined;
  readonly name?: string | undefined;
}

/** The identities that options ask for. */
export async function found(context: Context, wanted: Wanted): Promise<AsyncIterable<Identity>> {
  const { expired, name, type = expired ? "static" : undefined } = wanted;
  if (expired && type !== "static") throw usageError("only those of --type static expire");
  const { identities } = await context.client();
  const request = {
    // People live in no group.
    uidp: type === "person" ? { inRoot: true } : await within(context, wanted),
    orderBy: "name",
    ...(name === undefined ? {} : { name }),
    ...(type === undefined ? {} : { relationshipType: RELATIONSHIPS[type] }),
  };
  const all = identities.listAll(request, { signal: context.signal });
  return expired ? expiredOf(all) : all;
}

async function* expiredOf(identities: AsyncIterable<Identity>): AsyncIterable<Identity> {
  for await (const identity of identities) if (isPast(expiryOf(identity))) yield identity;
}
