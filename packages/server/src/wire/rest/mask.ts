import type { DescMessage, JsonValue } from "@bufbuild/protobuf";
import { fieldNamed } from "../../rpc/json-read.ts";

/**
 * The field mask of a partial resource: the paths of its leaves. Lists, maps, well-known types and null, which clears
 * a field, are leaves.
 */
export function inferMask(schema: DescMessage, json: JsonValue, except?: string): string[] {
  const paths: string[] = [];
  collect(schema, json, "", paths);
  return paths.filter((path, at) => path !== except && paths.indexOf(path) === at);
}

function collect(schema: DescMessage, json: JsonValue, prefix: string, paths: string[]): void {
  if (typeof json !== "object" || json === null || Array.isArray(json)) return;
  for (const [key, value] of Object.entries(json)) {
    const field = fieldNamed(schema, key);
    if (!field) continue;
    const path = prefix + field.name;
    const inside = field.fieldKind === "message" ? field.message : undefined;
    const isLeaf =
      inside === undefined ||
      inside.file.name.startsWith("google/protobuf/") ||
      value === null ||
      Object.keys(value).length === 0;
    if (isLeaf) paths.push(path);
    else collect(inside, value as JsonValue, `${path}.`, paths);
  }
}
