/** Decodes query parameters to fields of a request. */
import type { DescField, DescMessage, Message } from "@bufbuild/protobuf";
import { create } from "@bufbuild/protobuf";
import { isWrapperDesc } from "@bufbuild/protobuf/wkt";
import { invalidArgument, type WharfError } from "../../lib/errors.ts";
import { setField } from "../../rpc/fields.ts";
import { fieldFromJson, fieldNamed } from "../../rpc/json-read.ts";
import { enumFromJson, scalarFromText, Unreadable } from "../../rpc/json-scalar.ts";

/**
 * Sets fields from a query: `name=dev&uidp.descendants_of=…&page_size=10`. Unknown names and those in `bound` are
 * ignored.
 */
export function readQuery(
  message: Message,
  schema: DescMessage,
  query: string,
  bound: ReadonlySet<string>,
): void {
  let seen: Set<string> | undefined;
  for (const pair of query.split("&")) {
    if (pair === "") continue;
    const equals = pair.indexOf("=");
    const name = decode(equals < 0 ? pair : pair.slice(0, equals), "");
    const target = locate(message, schema, name, bound);
    if (!target) continue;
    const value = equals < 0 ? "" : decode(pair.slice(equals + 1), name);
    if (target.field.fieldKind !== "list") {
      seen ??= new Set();
      if (seen.has(target.path)) throw invalid(name, "must be given only once");
      seen.add(target.path);
    }
    setFromText(target.holder(), target.field, value, name);
  }
}

interface Target {
  readonly field: DescField;
  readonly path: string;
  /** The message that contains the field, created if necessary. */
  holder(): Message;
}

function locate(
  message: Message,
  schema: DescMessage,
  name: string,
  bound: ReadonlySet<string>,
): Target | undefined {
  const parts = name.split(".");
  const chain: DescField[] = [];
  let path = "";
  let at: DescMessage | undefined = schema;
  for (const part of parts) {
    const field: DescField | undefined = at && fieldNamed(at, part);
    if (!field) return undefined;
    path = path === "" ? field.name : `${path}.${field.name}`;
    if (bound.has(path)) return undefined;
    chain.push(field);
    at = field.fieldKind === "message" && !isText(field.message) ? field.message : undefined;
  }
  const field = chain.pop();
  // Messages and maps have no text form.
  if (!field || at || field.fieldKind === "map") return undefined;
  return { field, path, holder: () => chain.reduce(child, message) };
}

/** Well-known types are single values. */
function isText(schema: DescMessage): boolean {
  return schema.file.name.startsWith("google/protobuf/");
}

/** The message in a message field, created if it is not set. */
export function child(message: Message, field: DescField): Message {
  const object = message as unknown as Record<string, unknown>;
  const oneof =
    field.oneof && (object[field.oneof.localName] as { case?: string; value?: Message });
  const present = oneof
    ? oneof.case === field.localName && oneof.value
    : (object[field.localName] as Message | undefined);
  if (present) return present;
  const made: Message = create(field.message as DescMessage);
  setField(message, field, made);
  return made;
}

/** Sets a field from text; appends to a list. `name` is the field in errors. */
export function setFromText(message: Message, field: DescField, text: string, name: string): void {
  try {
    if (field.fieldKind === "list") {
      const list = (message as unknown as Record<string, unknown[]>)[field.localName] as unknown[];
      list.push(single(field, text));
    } else if (field.fieldKind === "message" && !isWrapperDesc(field.message)) {
      fieldFromJson(message, field, text, { path: name });
    } else setField(message, field, single(field, text));
  } catch (thrown) {
    if (thrown instanceof Unreadable) throw invalid(name, thrown.message);
    throw thrown;
  }
}

function single(field: DescField, text: string): unknown {
  if (field.enum) return enumFromJson(field.enum, text);
  if (field.message && isWrapperDesc(field.message)) {
    return scalarFromText(field.message.fields[0].scalar, text);
  }
  if (field.scalar === undefined) throw new Unreadable("cannot be a query parameter");
  return scalarFromText(field.scalar, text);
}

function decode(text: string, name: string): string {
  if (!text.includes("%") && !text.includes("+")) return text;
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    throw invalid(name === "" ? text : name, "has malformed percent-encoding");
  }
}

function invalid(field: string, problem: string): WharfError {
  return invalidArgument({ field, description: `${field} ${problem}` });
}
