/** Encodes requests as HTTP requests according to the google.api.http option of the method. */
import {
  type DescField,
  type DescMessage,
  type DescMethod,
  type JsonObject,
  type JsonValue,
  type Message,
  toJson,
} from "@bufbuild/protobuf";
import { fieldBehavior, type HttpBinding, httpRulesOf } from "@wharf/contract/messages";
import { isObject, wharfError } from "../errors.ts";

/** An HTTP request without headers and signal. */
export interface HttpRequest {
  readonly verb: HttpBinding["verb"];
  /** Path and query, after the base URL. */
  readonly path: string;
  readonly contentType: string | undefined;
  readonly body: string | undefined;
}

interface Variable {
  /** The path of proto field names. */
  readonly path: readonly string[];
  /** May be empty, as the parent of an organization is. */
  readonly optional: boolean;
}

interface Route {
  readonly verb: HttpBinding["verb"];
  readonly parts: readonly (string | Variable)[];
  /** The field that is the body, the whole request, a form, or none. */
  readonly body: DescField | "whole" | "form" | "none";
}

/**
 * The HTTP request of a call.
 *
 * @example httpRequest(GroupsService.method.getGroup, create(GetGroupRequestSchema, { uid }))
 * // { verb: "GET", path: "/iam/v2beta1/groups/<uid>", … }
 */
export function httpRequest(method: DescMethod, request: Message): HttpRequest {
  const { verb, parts, body } = routeOf(method);
  // Templates and queries use proto names.
  const left = toJson(method.input, request, { useProtoFieldName: true }) as JsonObject;
  const filled = parts.map((part) => (typeof part === "string" ? part : take(left, part)));
  const path = filled.join("").replace(/\/$/, "");
  if (body === "whole") {
    return json(verb, path, toJson(method.input, request));
  }
  if (typeof body === "object") {
    delete left[body.name];
    const whole = toJson(method.input, request) as JsonObject;
    return json(verb, withQuery(path, left), whole[body.jsonName] ?? {});
  }
  if (body === "form") {
    const contentType = "application/x-www-form-urlencoded";
    return { verb, path, contentType, body: query(left).toString() };
  }
  return { verb, path: withQuery(path, left), contentType: undefined, body: undefined };
}

/**
 * Whether a method only reads, and may be retried.
 *
 * @example isReadOnly(GroupsService.method.listGroups) // true
 */
export function isReadOnly(method: DescMethod): boolean {
  return httpRulesOf(method)[0]?.verb === "GET";
}

const routes = new WeakMap<DescMethod, Route>();

function routeOf(method: DescMethod): Route {
  const known = routes.get(method);
  if (known) return known;
  const bindings = httpRulesOf(method);
  // Forms are preferred: URLs end up in logs.
  const binding = bindings.find((one) => isForm(one)) ?? bindings[0];
  if (!binding) throw new TypeError(`${method} cannot be called over REST`);
  const route = compile(method.input, binding);
  routes.set(method, route);
  return route;
}

function isForm({ verb, body }: HttpBinding): boolean {
  return verb === "POST" && body === "";
}

const VARIABLE = /\{([a-z0-9_.]+)(?:=\*\*?)?\}/;

function compile(input: DescMessage, binding: HttpBinding): Route {
  const parts = binding.path.split(VARIABLE).map((part, at) => {
    if (at % 2 === 0) return part;
    const path = part.split(".");
    const field = input.fields.find((one) => one.name === path[0]);
    const optional = path.length === 1 && field !== undefined && !fieldBehavior(field).required;
    return { path, optional };
  });
  return { verb: binding.verb, parts, body: bodyOf(input, binding) };
}

function bodyOf(input: DescMessage, binding: HttpBinding): Route["body"] {
  if (binding.body === "*") return "whole";
  if (binding.body === "") return isForm(binding) ? "form" : "none";
  const field = input.fields.find((one) => one.name === binding.body);
  if (!field) throw new TypeError(`${input} has no field ${binding.body}`);
  return field;
}

/** Removes the value of a path variable from the fields and encodes it. */
function take(left: JsonObject, { path, optional }: Variable): string {
  let holder: JsonObject | undefined = left;
  for (const name of path.slice(0, -1)) {
    const inner: JsonValue | undefined = holder?.[name];
    holder = isObject(inner) ? inner : undefined;
  }
  const leaf = path[path.length - 1] as string;
  const value = String(holder?.[leaf] ?? "");
  if (holder) delete holder[leaf];
  const segments = value.split("/");
  // An empty value would match another route, and dot segments would be resolved.
  if ((value === "" && !optional) || segments.some((one) => one === "." || one === "..")) {
    const problem = value === "" ? "is required" : "cannot be part of a path";
    throw invalid(path.join("."), problem);
  }
  return segments.map(encodeURIComponent).join("/");
}

function invalid(field: string, problem: string): Error {
  const description = `${field} ${problem}`;
  const violation = { field, description };
  const badRequest = { "@type": "type.googleapis.com/google.rpc.BadRequest" };
  return wharfError("INVALID_ARGUMENT", `Invalid argument: ${field}: ${description}`, {
    details: [{ ...badRequest, fieldViolations: [violation] }],
  });
}

function json(verb: HttpBinding["verb"], path: string, body: JsonValue): HttpRequest {
  return { verb, path, contentType: "application/json", body: JSON.stringify(body) };
}

function withQuery(path: string, fields: JsonObject): string {
  const text = query(fields).toString();
  return text === "" ? path : `${path}?${text}`;
}

/** Lists repeat their name; nested fields have dotted names. */
function query(fields: JsonObject, prefix = "", into = new URLSearchParams()): URLSearchParams {
  for (const [name, value] of Object.entries(fields)) {
    if (isObject(value)) query(value, `${prefix}${name}.`, into);
    else for (const one of [value].flat()) into.append(prefix + name, String(one));
  }
  return into;
}
