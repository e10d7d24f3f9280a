import { findPath } from "./path.ts";
import type { ScimKind } from "./schemas.ts";
import type { Json } from "./values.ts";

/** Always returned. */
const ALWAYS: ReadonlySet<string> = new Set(["schemas", "id"]);

/** Selects attributes of a resource. */
export type Projection = (resource: Json) => Json;

/** The `attributes` and `excludedAttributes` parameters. */
export interface ProjectionParameters {
  readonly attributes: string | null;
  readonly excludedAttributes: string | null;
}

/** Unknown names are ignored. */
export function projectionOf(kind: ScimKind, parameters: ProjectionParameters): Projection {
  const { attributes, excludedAttributes } = parameters;
  if (attributes) return (resource) => only(resource, pathsOf(kind, attributes));
  if (!excludedAttributes) return (resource) => resource;
  return (resource) => without(resource, pathsOf(kind, excludedAttributes));
}

/** Whether the response includes memberships, which take a query. */
export function showsRelation(
  kind: ScimKind,
  { attributes, excludedAttributes }: ProjectionParameters,
): boolean {
  const names = (list: string) => pathsOf(kind, list).map(([name]) => name);
  if (attributes) return names(attributes).includes(kind.relation);
  const whole = pathsOf(kind, excludedAttributes ?? "").filter((path) => path.length === 1);
  return !whole.some(([name]) => name === kind.relation);
}

/** Paths as lists of keys. */
function pathsOf(kind: ScimKind, list: string): string[][] {
  return list.split(",").flatMap((name) => {
    const text = name.trim();
    if (text.toLowerCase() === kind.extension?.id.toLowerCase()) return [[kind.extension.id]];
    const path = findPath(kind, text);
    if (path === undefined) return [];
    const keys = [path.extension, path.attribute.name, path.subAttribute?.name];
    return [keys.filter((key) => key !== undefined)];
  });
}

function only(resource: Json, paths: readonly string[][]): Json {
  const kept: Json = {};
  for (const [key, value] of Object.entries(resource)) {
    if (ALWAYS.has(key)) {
      kept[key] = value;
      continue;
    }
    const inner = below(key, paths);
    if (inner === undefined) continue;
    kept[key] = inner.length === 0 ? value : each(value, (one) => only(one, inner));
  }
  return kept;
}

function without(resource: Json, paths: readonly string[][]): Json {
  const kept: Json = {};
  for (const [key, value] of Object.entries(resource)) {
    const inner = ALWAYS.has(key) ? undefined : below(key, paths);
    if (inner === undefined) kept[key] = value;
    else if (inner.length > 0) kept[key] = each(value, (one) => without(one, inner));
  }
  return kept;
}

/** The rest of the paths below a key: undefined when none begins with it, nothing when one ends with it. */
function below(key: string, paths: readonly string[][]): string[][] | undefined {
  const inner = paths.filter(([first]) => first === key).map(([, ...rest]) => rest);
  if (inner.length === 0) return undefined;
  return inner.some((rest) => rest.length === 0) ? [] : inner;
}

function each(value: unknown, change: (one: Json) => Json): unknown {
  return Array.isArray(value) ? value.map(change) : change(value as Json);
}
