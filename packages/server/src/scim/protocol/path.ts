import { type Attribute, attributeNamed } from "./attributes.ts";
import { COMMON, type ScimKind } from "./schemas.ts";
import type { Json } from "./values.ts";

/** A resolved attribute path. */
export interface AttributePath {
  /** The id of its extension schema, if any. */
  readonly extension: string | undefined;
  readonly attribute: Attribute;
  /** Set if the path names a sub-attribute. */
  readonly subAttribute: Attribute | undefined;
}

/**
 * Resolves a path such as `name.familyName` or `urn:…:User:department`, case-insensitively;
 * undefined if there is no such attribute.
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
  if (inner === undefined) return { extension, attribute, subAttribute: undefined };
  const subAttribute = attributeNamed(attribute.subAttributes ?? [], inner);
  return subAttribute && { extension, attribute, subAttribute };
}

/** The values of a resource at a path. */
export function valuesAt(
  resource: Json,
  { extension, attribute, subAttribute }: AttributePath,
): unknown[] {
  const holder = extension === undefined ? resource : (resource[extension] as Json | undefined);
  const found = [holder?.[attribute.name]].flat();
  const values =
    subAttribute === undefined ? found : found.map((one) => (one as Json)?.[subAttribute.name]);
  return values.filter((value) => value !== undefined);
}
