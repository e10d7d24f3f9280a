import { type Attribute, attributeNamed } from "./attributes.ts";
import { COMMON, type ScimKind } from "./schemas.ts";
import type { Json } from "./values.ts";

/** Where an attribute is in a resource. */
export interface AttributePath {
  /** The id of the extension that it is in, if it is in one. */
  readonly extension: string | undefined;
  readonly attribute: Attribute;
  /** The part of the attribute that is meant, if not all of it. */
  readonly part: Attribute | undefined;
}

/**
 * Finds what a path such as `name.familyName` or `urn:…:User:department` names, whatever case it is
 * written in; undefined where there is no such attribute.
 */
export function findPath(kind: ScimKind, path: string): AttributePath | undefined {
  const { schema, extension } = kind;
  const inCore = [...COMMON, ...schema.attributes];
  if (extension !== undefined && isBelow(path, extension.id))
    return find(extension.attributes, path.slice(extension.id.length + 1), extension.id);
  return find(inCore, isBelow(path, schema.id) ? path.slice(schema.id.length + 1) : path);
}

function isBelow(path: string, schema: string): boolean {
  return path.toLowerCase().startsWith(`${schema.toLowerCase()}:`);
}

function find(
  attributes: readonly Attribute[],
  path: string,
  extension?: string,
): AttributePath | undefined {
  const [name = "", inner, ...more] = path.split(".");
  const attribute = attributeNamed(attributes, name);
  if (attribute === undefined || more.length > 0) return undefined;
  if (inner === undefined) return { extension, attribute, part: undefined };
  const part = attributeNamed(attribute.subAttributes ?? [], inner);
  return part && { extension, attribute, part };
}

/** The values that a resource has at a path, none where it has none. */
export function valuesAt(resource: Json, { extension, attribute, part }: AttributePath): unknown[] {
  const holder = extension === undefined ? resource : (resource[extension] as Json | undefined);
  const found = [holder?.[attribute.name]].flat();
  const values = part === undefined ? found : found.map((one) => (one as Json)?.[part.name]);
  return values.filter((value) => value !== undefined);
}
