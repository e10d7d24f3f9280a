import { createHmac, hash } from "node:crypto";
import {
  clone,
  type DescMessage,
  type DescMethod,
  type Message,
  toBinary,
} from "@bufbuild/protobuf";
import type { Caller } from "../auth/caller.ts";
import { invalidArgument } from "../lib/errors.ts";
import { fieldValue, setField } from "./fields.ts";

/** The idempotency key of a create: the create is executed once, and repeated requests get its response. */
export interface IdempotencyKey {
  /** The digest of caller, method and key. */
  readonly id: string;
  /** The digest of the request. A key stands for one request. */
  readonly request: string;
  /** Marks the response as that of an earlier request. */
  markReplayed(): void;
  /** Set while the create runs only to authorize a replay: it is rolled back, and quotas do not apply. */
  isRehearsal: boolean;
}

const VISIBLE_ASCII = /^[\x21-\x7e]{1,255}$/;

/** A string of structured fields (RFC 9651), as the IETF draft of the header writes keys. */
const QUOTED = /^"((?:[^"\\]|\\["\\])*)"$/;

/** Reads a key, quoted or not. Throws INVALID_ARGUMENT. */
export function readIdempotencyKey(header: string, field = "idempotency-key"): string {
  const key = header.startsWith('"')
    ? QUOTED.exec(header)?.[1]?.replaceAll(/\\(.)/g, "$1")
    : header.trim();
  if (key !== undefined && VISIBLE_ASCII.test(key)) return key;
  const description = `${field} must have 1 to 255 visible ASCII characters, in double quotes or without`;
  throw invalidArgument({ field, description });
}

/** The key of a request. Keys of other callers and methods are independent. */
export function idempotencyKeyOf(
  header: string,
  { uid }: Caller,
  { parent, name, input }: DescMethod,
  request: Message,
  markReplayed: () => void,
): IdempotencyKey {
  const key = readIdempotencyKey(header);
  return {
    id: hash("sha256", JSON.stringify([uid, `${parent.typeName}/${name}`, key]), "base64url"),
    // Keyed, so that the digest of a request with a weak secret does not help to guess the secret.
    request: createHmac("sha256", key).update(canonical(input, request)).digest("base64url"),
    markReplayed,
    isRehearsal: false,
  };
}

/** Equal for equal requests: some clients send the entries of maps in another order each time. */
function canonical(schema: DescMessage, request: Message): Uint8Array {
  if (!hasMaps(schema)) return toBinary(schema, request);
  const copy = clone(schema, request);
  sortMaps(schema, copy);
  return toBinary(schema, copy);
}

function sortMaps(schema: DescMessage, message: Message): void {
  if (!hasMaps(schema)) return;
  for (const field of schema.fields) {
    const value = fieldValue(message, field);
    if (value === undefined) continue;
    if (field.fieldKind === "map") setField(message, field, sorted(value as object));
    else if (field.message?.typeName === STRUCT) setField(message, field, sortedDeep(value));
    else if (field.fieldKind === "message") sortMaps(field.message, value as Message);
    else if (field.fieldKind === "list" && field.message !== undefined) {
      for (const inner of value as Message[]) sortMaps(field.message, inner);
    }
  }
}

/** The library represents it as a JSON object. */
const STRUCT = "google.protobuf.Struct";

function sorted(map: object): object {
  return Object.fromEntries(Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function sortedDeep(json: unknown): unknown {
  if (typeof json !== "object" || json === null) return json;
  if (Array.isArray(json)) return json.map(sortedDeep);
  const entries = Object.entries(sorted(json)).map(([key, value]) => [key, sortedDeep(value)]);
  return Object.fromEntries(entries);
}

const withMaps = new WeakMap<DescMessage, boolean>();

/** Whether a message, or one in it, has a map. */
function hasMaps(schema: DescMessage): boolean {
  let result = withMaps.get(schema);
  if (result === undefined) {
    const reached = new Set([schema]);
    for (const { fields } of reached) {
      for (const { message } of fields) if (message !== undefined) reached.add(message);
    }
    result = [...reached].some(({ fields }) => fields.some(({ fieldKind }) => fieldKind === "map"));
    withMaps.set(schema, result);
  }
  return result;
}
