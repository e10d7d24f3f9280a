import type { Identity, TestIdentityResponse } from "@wharf/client";
import { RelationshipType } from "@wharf/contract";
import type { Run } from "../../command/types.ts";
import type { Context } from "../../context.ts";
import { failed, usageError } from "../../errors.ts";
import type { Column } from "../../output/columns.ts";
import { capabilityNames } from "../../resolve/capabilities.ts";
import { groupNames } from "../../resolve/group-names.ts";
import { resolveScope } from "../../resolve/groups.ts";
import { IDENTITY } from "../../resolve/kinds.ts";
import { resolve, resolveUid } from "../../resolve/resolve.ts";
import type { FilterArgs } from "../../resource/commands.ts";
import { withGroup } from "../../resource/group-column.ts";
import { printOne, type Resource } from "../../resource/run.ts";
import { updater } from "../../resource/update.ts";
import { definedFields, isPast, readObject } from "../../resource/values.ts";
import { expirationOf, IDENTITY_COLUMNS } from "./columns.ts";
import type { FILTERS, lookupDefinition, testDefinition } from "./commands.ts";
import { updateDefinition } from "./commands.ts";
import { readIdentityFile } from "./create/run.ts";
import { relationshipOf } from "./relationship.ts";

const RELATIONSHIPS = {
  claim_match: RelationshipType.CLAIM_MATCH,
  static: RelationshipType.STATIC,
  aws: RelationshipType.AWS_IDENTITY,
  service_principal: RelationshipType.SERVICE_PRINCIPAL,
  person: RelationshipType.UNSPECIFIED,
} as const;

export const resource: Resource<Identity, FilterArgs<typeof FILTERS>> = {
  kind: IDENTITY,
  columns: withGroup(IDENTITY_COLUMNS),
  details: IDENTITY_COLUMNS,
  async select(context, args) {
    const { expired, name, namePrefix, type = expired ? "static" : undefined } = args;
    if (expired && type !== "static") {
      throw usageError("only identities of --type static expire");
    }
    const { identities } = await context.client();
    const request = {
      // People belong to no group.
      uidp: type === "person" ? { inRoot: true } : await resolveScope(context, args),
      orderBy: args.orderBy ?? "name",
      ...definedFields({ name, namePrefix, relationshipType: type && RELATIONSHIPS[type] }),
    };
    return identities.listAll(request, { signal: context.signal });
  },
  isExpired: (identity) => isPast(expirationOf(identity)),
};

export const update: Run<typeof updateDefinition> = (context, args) =>
  args.file === undefined ? updateFields(context, args) : updateFromFile(context, args, args.file);

const updateFields = updater(updateDefinition, {
  resource,
  find: (context: Context, text: string) => resolve(context, IDENTITY, text),
  fields: {
    name: "name",
    description: "description",
    relationship: ({ args, current }) => relationshipOf(args, current.relationship.case),
  },
  // Without an explicit mask, the client derives one that includes the fields of the relationship.
  send: ({ identities }, identity, _mask, options) => identities.update({ identity }, options),
});

/** Fields that only the server sets; files that `describe` wrote contain them. */
const OUTPUT_ONLY = new Set([
  "uid",
  "createTime",
  "updateTime",
  "lastSeenTime",
  "email",
  "emailUnverified",
]);

async function updateFromFile(
  context: Context,
  args: Parameters<typeof update>[1],
  file: string,
): Promise<void> {
  const { uid, relationship } = await resolve(context, IDENTITY, args.identity);
  const others = [args.name, args.description, relationshipOf(args, relationship.case)];
  if (others.some((value) => value !== undefined)) {
    throw usageError("--file excludes other options");
  }
  const fields = Object.keys(await readObject("--file", file));
  const updateMask = fields.filter((field) => !OUTPUT_ONLY.has(field));
  const identity = { ...(await readIdentityFile(file)), uid };
  const { identities } = await context.client();
  const { signal } = context;
  await printOne(context, resource, await identities.update({ identity, updateMask }, { signal }));
}

export const lookup: Run<typeof lookupDefinition> = async (context, { issuer, subject }) => {
  const { identities } = await context.client();
  const { uid } = await identities.lookup({ issuer, subject }, { signal: context.signal });
  await context.out.one({ uid, issuer, subject }, [
    { header: "UID", value: (found) => found.uid },
    { header: "Issuer", value: (found) => found.issuer },
    { header: "Subject", value: (found) => found.subject },
  ]);
};

export const testToken: Run<typeof testDefinition> = async (context, args) => {
  const { scopes, cap } = args;
  const uid = await resolveUid(context, IDENTITY, args.identity);
  const { identities } = await context.client();
  const request = { uid, token: args.token.trim(), scopes: [...scopes], cap: [...cap] };
  const verdict = await identities.test(request, { signal: context.signal });
  await printVerdict(context, verdict);
  for (const warning of verdict.warnings) context.err.warn(warning);
  if (verdict.allowed) return context.err.note("the token is accepted");
  const failures = verdict.checks.filter(({ ok }) => !ok).map(({ claim }) => claim);
  throw failed(`the token would be rejected: ${failures.join(", ")}`);
};

const CHECK_COLUMNS: readonly Column<TestIdentityResponse["checks"][number]>[] = [
  { header: "OK", value: ({ ok }) => (ok ? "✓" : "✗") },
  { header: "Check", value: ({ claim }) => claim },
  { header: "Expected", value: ({ expected }) => expected },
  { header: "Found", value: ({ found }) => found },
];

/** Prints checks and then grants as tables; machine-readable formats get the whole response. */
async function printVerdict(context: Context, verdict: TestIdentityResponse): Promise<void> {
  const { out } = context;
  const isWhole = ["json", "yaml"].includes(out.format);
  if (isWhole) return out.one(verdict, []);
  await out.list(verdict.checks, CHECK_COLUMNS, {
    id: ({ claim }) => claim,
    tree: { label: ({ claim, ok }) => `${ok ? "✓" : "✗"} ${claim}`, parent: () => undefined },
  });
  if (verdict.grants.length === 0 || !["table", "wide"].includes(out.format)) return;
  const names = await groupNames(
    context,
    verdict.grants.map(({ group }) => group),
  );
  out.text("");
  await out.list(verdict.grants, [
    { header: "In", value: ({ group }) => names.get(group) ?? group },
    { header: "The token can", value: ({ capabilities }) => capabilityNames(capabilities) },
    { header: "Group UID", value: ({ group }) => group, wide: true },
  ]);
}
