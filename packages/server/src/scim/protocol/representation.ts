import { slicedSort } from "../../lib/scheduling/sliced-sort.ts";
import type { SlicedTask } from "../../lib/scheduling/time-slices.ts";
import type { Reader } from "../../store/db/connection.ts";
import {
  groupsOf,
  type Membership,
  membersOf,
  type NumberedMember,
} from "../../store/tables/scim/members.ts";
import type { ScimRow } from "../../store/tables/scim/resources.ts";
import type { ScimKind } from "./schemas.ts";
import type { Json } from "./values.ts";

/** The context in which resources are rendered. */
export interface Rendering {
  readonly reader: Reader;
  /** The URL that their locations begin with. */
  readonly base: string;
  /** Other requests run between any two of its steps. */
  readonly task: SlicedTask;
}

/** Renders rows as SCIM resources, with memberships if requested. */
export async function toResources(
  rendering: Rendering,
  kind: ScimKind,
  rows: readonly ScimRow[],
  withRelation: boolean,
): Promise<Json[]> {
  const { base, task } = rendering;
  const own = withRelation ? await related(rendering, kind, rows) : new Map<string, Json[]>();
  const resources: Json[] = [];
  for (const row of rows) {
    await task.pause();
    const attributes = JSON.parse(row.data) as Json;
    const { extension, schema, relation } = kind;
    const extended = extension !== undefined && attributes[extension.id] !== undefined;
    const others = own.get(row.resource) ?? [];
    resources.push({
      schemas: [schema.id, ...(extended ? [extension.id] : [])],
      id: row.resource,
      ...attributes,
      ...(others.length > 0 && { [relation]: others }),
      meta: {
        resourceType: kind.name,
        created: new Date(row.created).toISOString(),
        lastModified: new Date(row.updated).toISOString(),
        location: `${base}/${kind.collection}/${row.resource}`,
        version: versionOf(row),
      },
    });
  }
  return resources;
}

/** The version of a resource, as an ETag. */
export function versionOf({ version }: Pick<ScimRow, "version">): string {
  return `W/"${version}"`;
}

/** The groups of users, or the members of groups, in their order, by resource. */
async function related(
  { reader, base, task }: Rendering,
  kind: ScimKind,
  rows: readonly ScimRow[],
): Promise<Map<string, Json[]>> {
  const found = new Map<string, Json[]>();
  const [first] = rows;
  if (first === undefined) return found;
  const ids = rows.map((row) => row.resource);
  const all =
    kind.name === "User"
      ? await groupsOf(reader, first.provider, ids)
      : await inOrder(membersOf(reader, first.provider, ids), task);
  for (const one of all) {
    await task.pause();
    const resource = kind.name === "User" ? one.user_id : one.group_id;
    const own = found.get(resource);
    if (own === undefined) found.set(resource, [reference(kind, one, base)]);
    else own.push(reference(kind, one, base));
  }
  return found;
}

async function inOrder(
  batches: AsyncIterable<readonly NumberedMember[]>,
  task: SlicedTask,
): Promise<readonly NumberedMember[]> {
  const all: NumberedMember[] = [];
  for await (const batch of batches) {
    all.push(...batch);
    await task.pause();
  }
  return slicedSort(all, (a, b) => a.id - b.id, task);
}

function reference(kind: ScimKind, one: Membership, base: string): Json {
  const { displayName, userName } = JSON.parse(one.data) as Json;
  const [value, collection, type] =
    kind.name === "User" ? [one.group_id, "Groups", "direct"] : [one.user_id, "Users", "User"];
  return { value, $ref: `${base}/${collection}/${value}`, display: displayName ?? userName, type };
}
