import type { Reader } from "../../store/db/connection.ts";
import { groupsOf, type Membership, membersOf } from "../../store/tables/scim-members.ts";
import type { ScimRow } from "../../store/tables/scim-resources.ts";
import type { ScimKind } from "./schemas.ts";
import type { Json } from "./values.ts";

/** Renders rows as SCIM resources, with memberships if requested. */
export async function toResources(
  reader: Reader,
  kind: ScimKind,
  rows: readonly ScimRow[],
  base: string,
  withRelation: boolean,
): Promise<Json[]> {
  const related = withRelation ? await relatedTo(reader, kind, rows) : [];
  const own = Map.groupBy(related, (one) => (kind.name === "User" ? one.user_id : one.group_id));
  return rows.map((row) => {
    const attributes = JSON.parse(row.data) as Json;
    const { extension, schema, relation } = kind;
    const extended = extension !== undefined && attributes[extension.id] !== undefined;
    const others = (own.get(row.resource) ?? []).map((one) => reference(kind, one, base));
    return {
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
    };
  });
}

/** The version of a resource, as an ETag. */
export function versionOf({ version }: Pick<ScimRow, "version">): string {
  return `W/"${version}"`;
}

function relatedTo(reader: Reader, kind: ScimKind, rows: readonly ScimRow[]) {
  const [first] = rows;
  if (first === undefined) return [];
  const ids = rows.map((row) => row.resource);
  const read = kind.name === "User" ? groupsOf : membersOf;
  return read(reader, first.provider, ids);
}

function reference(kind: ScimKind, one: Membership, base: string): Json {
  const { displayName, userName } = JSON.parse(one.data) as Json;
  const [value, collection, type] =
    kind.name === "User" ? [one.group_id, "Groups", "direct"] : [one.user_id, "Users", "User"];
  return { value, $ref: `${base}/${collection}/${value}`, display: displayName ?? userName, type };
}
