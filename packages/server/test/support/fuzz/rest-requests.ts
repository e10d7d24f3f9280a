/** REST requests to every route of the contract. */
import type { DescField, DescMethod } from "@bufbuild/protobuf";
import { type HttpBinding, httpRulesOf, SERVICES } from "@wharf/contract";
import { SERVICES_V1 } from "@wharf/contract/v1";
import type { Random } from "../oracle/random.ts";
import { ODD_PIECES } from "./malformed-values.ts";
import { jsonMessage, jsonRubbish } from "./messages.ts";
import {
  authorizationOf,
  type FuzzRequest,
  type Phase,
  percentEncoded,
  pickCaller,
  valuesFor,
} from "./request.ts";
import type { Values } from "./values.ts";
import { ODD_HEADERS } from "./words.ts";

interface Route {
  readonly method: DescMethod;
  readonly binding: HttpBinding;
}

/** All but those of methods that answer when something happens. */
const ROUTES: readonly Route[] = [...SERVICES, ...SERVICES_V1]
  .flatMap(({ methods }) => methods)
  .filter(({ name }) => !name.startsWith("Watch"))
  .flatMap((method) => httpRulesOf(method).map((binding) => ({ method, binding })));

/** Pieces that are put into a path, as they are. */
const PATH_PIECES = [
  ...ODD_PIECES,
  "{uid=**}",
  "**",
  ":batchCreate",
  ":test",
  ";a=b",
  "readme",
  "history",
  "a".repeat(3_000),
  "__proto__",
];

const VERBS = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE", "QUERY"];

/**
 * A request to a route.
 *
 * @example const request = restRequest(new Chance(7), "authenticated");
 */
export function restRequest(random: Random, phase: Phase): FuzzRequest {
  const { method, binding } = random.pick(ROUTES);
  const caller = pickCaller(random, phase);
  const values = valuesFor(random, caller, `${method.parent.name} ${method.name}`);
  const message = jsonMessage(values, method.input);
  let { path } = binding;
  if (values.oneIn(4)) path = path.replace("/v2beta1/", "/v2/");
  path = path.replaceAll(/\{([\w.]+)(?:=\*\*?)?\}/g, (_, name: string) => {
    return escaped(pathValue(values, message, method, name));
  });
  let verb: string = binding.verb;
  const tampered = values.goesWrong() && values.oneIn(2);
  if (tampered && values.oneIn(4)) verb = random.pick(VERBS);
  else if (tampered) path = `${path}/${random.pick(PATH_PIECES)}`;
  const headers = [...authorizationOf(random, caller)];
  const body = bodyOf(values, binding, message);
  if (body !== undefined) headers.push(["content-type", "application/json"]);
  if (values.goesWrong()) headers.push([...random.pick(ODD_HEADERS)]);
  const query = body === undefined || values.oneIn(10) ? queryOf(values, message) : "";
  return {
    via: "rest",
    caller,
    method: verb,
    path: query === "" ? path : `${path}?${query}`,
    headers,
    ...(body === undefined ? {} : { body }),
    ...(tampered ? {} : { rpc: `${method.parent.typeName}/${method.name}` }),
  };
}

/** The value that the path says, which the rest of the request then mostly does not. */
function pathValue(
  values: Values,
  message: Record<string, unknown>,
  method: DescMethod,
  name: string,
): string {
  let fields: readonly DescField[] = method.input.fields;
  let field: DescField | undefined;
  for (const part of name.split(".")) {
    field = fields.find((one) => one.name === part);
    fields = field?.message?.fields ?? [];
  }
  if (field === undefined) return values.malformedText();
  if (!values.goesWrong()) {
    delete message[field.name];
    delete message[field.jsonName];
  }
  return values.text(field);
}

/** Percent-encodes, but leaves slashes and names that stand for values. */
function escaped(text: string): string {
  return percentEncoded(text).replaceAll("%2F", "/");
}

function bodyOf(
  values: Values,
  { body, verb }: HttpBinding,
  message: Record<string, unknown>,
): string | undefined {
  if (body === "" && (verb !== "POST" || values.oneIn(2))) return undefined;
  if (values.goesWrong() && values.oneIn(3)) return brokenBody(values, message);
  const key = Object.keys(message).find((name) => snake(name) === body);
  const whole = body === "*" || body === "" ? message : key === undefined ? {} : message[key];
  return JSON.stringify(whole);
}

function snake(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function brokenBody(values: Values, message: Record<string, unknown>): string {
  const text = JSON.stringify(message);
  return values.random.pick([
    text.slice(0, values.random.below(text.length)),
    `\ufeff${text}`,
    `${text}${text}`,
    text.replaceAll('"', "'"),
    text.replace("{", '{"name":"a","name":"b",'),
    text.replace("{", '{"__proto__":{"name":"a"},'),
    `${"[".repeat(9_000)}${"]".repeat(9_000)}`,
    `${'{"claimMatch":'.repeat(2_000)}1${"}".repeat(2_000)}`,
    `[${text}]`,
    '{"name":1e400}',
    "",
    "null",
    JSON.stringify(jsonRubbish(values, 0)),
  ]);
}

/** The fields of a message as a query: nested ones with dots, lists by repeating. */
function queryOf(values: Values, message: Record<string, unknown>): string {
  const pairs: string[] = [];
  const add = (name: string, value: unknown): void => {
    if (Array.isArray(value)) for (const one of value.slice(0, 40)) add(name, one);
    else if (typeof value === "object" && value !== null) {
      for (const [key, one] of Object.entries(value)) add(`${name}.${key}`, one);
    } else pairs.push(`${escaped(name)}=${escaped(String(value))}`);
  };
  for (const [name, value] of Object.entries(message)) add(name, value);
  if (values.goesWrong()) {
    pairs.push(
      values.random.pick(["=", "&&", "%", "a[]=1", "uidp=1", "uidp.x=1", "%00=%00", "a;b"]),
    );
  }
  return pairs.join("&").slice(0, 7_000);
}
