/** Requests of the contract as HTTP requests, by the routes in its descriptors. */
import type { DescMessage, DescMethod } from "@bufbuild/protobuf";
import { FieldMaskSchema } from "@bufbuild/protobuf/wkt";
import { httpRulesOf } from "@wharf/contract";

export interface HttpRequest {
  readonly verb: string;
  readonly path: string;
  readonly body?: unknown;
}

type Fields = Readonly<Record<string, unknown>>;

const VARIABLE = /\{([\w.]+)(?:=\*\*?)?\}/g;

/**
 * Path variables go into the path, the body is what the route says, and the rest is the query.
 *
 * @example httpRequestOf(GroupsService.method.getGroup, { uid }) // { verb: "GET", path: `/iam/v2beta1/groups/${uid}` }
 */
export function httpRequestOf(method: DescMethod, request: object): HttpRequest {
  const [rule] = httpRulesOf(method);
  if (rule === undefined) throw new Error(`${method} has no route`);
  let rest = request as Fields;
  const path = rule.path.replaceAll(VARIABLE, (_, variable: string) => {
    const [value, others] = taken(method.input, rest, variable);
    rest = others;
    return String(value ?? "");
  });
  const { verb } = rule;
  if (rule.body === "*") return { verb, path, body: rest };
  const [body, others] =
    rule.body === "" ? [undefined, rest] : taken(method.input, rest, rule.body);
  const query = queryOf(withJoinedMasks(method.input, others));
  const address = query === "" ? path : `${path}?${query}`;
  return rule.body === "" ? { verb, path: address } : { verb, path: address, body: body ?? {} };
}

/** The names of the variables in the route of a method, in order. */
export function pathVariablesOf(method: DescMethod): string[] {
  return [...(httpRulesOf(method)[0]?.path ?? "").matchAll(VARIABLE)].map(([, name]) => name ?? "");
}

/** The name in JSON of a field that the contract calls `name`. */
export function jsonNameOf(message: DescMessage, name: string): string {
  const field = message.fields.find((one) => one.name === name);
  if (field === undefined) throw new Error(`${message} has no ${name}`);
  return field.jsonName;
}

/** A message with a value at a path of fields: `group.uid`. */
export function withValue(
  message: DescMessage,
  given: object,
  path: string,
  value: unknown,
): object {
  const [name = "", ...below] = path.split(".");
  const key = jsonNameOf(message, name);
  if (below.length === 0) return { ...given, [key]: value };
  const inner = message.fields.find((one) => one.name === name)?.message as DescMessage;
  const there = ((given as Fields)[key] ?? {}) as object;
  return { ...given, [key]: withValue(inner, there, below.join("."), value) };
}

/** The value at a path of fields, and the message without it. */
function taken(message: DescMessage, given: Fields, path: string): [unknown, Fields] {
  const [name = "", ...below] = path.split(".");
  const key = jsonNameOf(message, name);
  const { [key]: value, ...others } = given;
  if (below.length === 0) return [value, others];
  const inner = message.fields.find((one) => one.name === name)?.message as DescMessage;
  const [found, left] = taken(inner, (value ?? {}) as Fields, below.join("."));
  return [found, { ...others, [key]: left }];
}

/** A mask is one text in JSON, with commas. */
function withJoinedMasks(message: DescMessage, given: Fields): Fields {
  const masks = message.fields.filter((one) => one.message?.typeName === FieldMaskSchema.typeName);
  const joined = masks.flatMap(({ jsonName }) => {
    const mask = given[jsonName];
    return Array.isArray(mask) ? [[jsonName, mask.join()]] : [];
  });
  return { ...given, ...Object.fromEntries(joined) };
}

/**
 * Writes a request as a query: nested fields with dots, lists by repeating.
 *
 * @example queryOf({ uidp: { childrenOf: uid }, pageSize: 5 }) // "uidp.childrenOf=…&pageSize=5"
 */
export function queryOf(request: object, prefix = ""): string {
  const pairs = Object.entries(request).flatMap(([key, value]) => {
    const name = prefix + key;
    if (Array.isArray(value)) return value.map((one) => pair(name, one));
    return typeof value === "object" ? queryOf(value, `${name}.`) : pair(name, value);
  });
  return pairs.filter((text) => text !== "").join("&");
}

function pair(name: string, value: unknown): string {
  return value === undefined ? "" : `${name}=${encodeURIComponent(String(value))}`;
}
