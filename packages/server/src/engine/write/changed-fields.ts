import { type DescField, type DescMessage, equals, type Message } from "@bufbuild/protobuf";
import { reflect } from "@bufbuild/protobuf/reflect";
import { fieldBehavior, rulesOf } from "@wharf/contract";
import { fieldValue } from "../../rpc/fields.ts";
import type { MaskPath } from "./mask.ts";

/** Further paths are not named: callers decide how many fields they change. */
const MAX_PATHS = 50;

/**
 * The paths of the fields that an update changes, for the audit log. Fields whose value is not stored count as changed
 * if the mask names them.
 */
export function changedFields(
  schema: DescMessage,
  before: Message,
  after: Message,
  mask: readonly MaskPath[],
): string[] {
  const unseen = mask.filter((path) => path.some(isNotStored)).map(pathText);
  const seen = differences(schema, before, after, "");
  return [...new Set([...seen, ...unseen])].slice(0, MAX_PATHS);
}

function isNotStored(field: DescField): boolean {
  return fieldBehavior(field).inputOnly || (rulesOf(field)?.secret ?? false);
}

function pathText(path: MaskPath): string {
  return path.map(({ jsonName }) => jsonName).join(".");
}

function differences(
  schema: DescMessage,
  before: Message,
  after: Message,
  prefix: string,
): string[] {
  if (equals(schema, before, after)) return [];
  const [old, now] = [reflect(schema, before), reflect(schema, after)];
  return schema.fields.flatMap((field) => {
    const path = prefix + field.jsonName;
    if (fieldBehavior(field).outputOnly) return [];
    if (!old.isSet(field) && !now.isSet(field)) return [];
    if (field.fieldKind === "message" && old.isSet(field) && now.isSet(field)) {
      const [a, b] = [before, after].map((one) => fieldValue(one, field) as Message);
      if (a === undefined || b === undefined) return [path];
      const inner = differences(field.message, a, b, `${path}.`);
      return inner.length > 0 || equals(field.message, a, b) ? inner : [path];
    }
    return sameField(schema, field, before, after) ? [] : [path];
  });
}

/** Whether a field has the same value in two messages: compares messages that have this field only. */
function sameField(
  schema: DescMessage,
  field: DescField,
  before: Message,
  after: Message,
): boolean {
  const [one, two] = [before, after].map((message) => {
    const copy = reflect(schema);
    const source = reflect(schema, message);
    if (source.isSet(field)) copy.set(field, source.get(field));
    return copy.message;
  });
  return one !== undefined && two !== undefined && equals(schema, one, two);
}
