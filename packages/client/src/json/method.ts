import type { JsonValue } from "@bufbuild/protobuf";
import { isObject, wharfError } from "../errors.ts";

/** A method as an HTTP route, with the types of its request and response. */
export interface JsonMethod<Input, Output> {
  readonly verb: string;
  /** The template: `{uid}` is required, `{parent?}` may be empty. Names are those of JSON. */
  readonly path: string;
  /** The field that is the body; `*` for the whole request, empty for none. */
  readonly body: string;
  /** Only a type. */
  readonly types?: (input: Input) => Output;
}

/**
 * Declares a method; generated code calls it.
 *
 * @example method<GetGroupRequestJson, GroupJson>("GET", "/iam/v2beta1/groups/{uid}")
 */
export function method<Input, Output>(
  verb: string,
  path: string,
  body = "",
): JsonMethod<Input, Output> {
  return { verb, path, body };
}

export interface HttpJsonRequest {
  readonly verb: string;
  /** Path and query. */
  readonly path: string;
  readonly body: string | undefined;
}

type Fields = Record<string, JsonValue | undefined>;

/**
 * The HTTP request of a call.
 *
 * @example httpJsonRequest(JSON_SERVICES.groups.get, { uid }) // { verb: "GET", path: "/iam/v2beta1/groups/<uid>", … }
 */
export function httpJsonRequest<Input>(
  { verb, path, body }: JsonMethod<Input, unknown>,
  request: Input,
): HttpJsonRequest {
  const left: Fields = structuredClone(request) as Fields;
  const filled = path
    .replace(/\{([\w.]+)(\??)\}/g, (_, name: string, optional: string) =>
      take(left, name, optional !== ""),
    )
    .replace(/\/$/, "");
  if (body === "*") return { verb, path: filled, body: JSON.stringify(request) };
  if (body === "") return { verb, path: withQuery(filled, left), body: undefined };
  const { [body]: content, ...others } = left;
  return { verb, path: withQuery(filled, others), body: JSON.stringify(content ?? {}) };
}

/** Removes the value of a path variable from the fields and encodes it. */
function take(left: Fields, name: string, isOptional: boolean): string {
  const names = name.split(".");
  const leaf = names.pop() as string;
  let holder: Fields | undefined = left;
  for (const one of names) {
    const inner: JsonValue | undefined = holder?.[one];
    holder = isObject(inner) ? inner : undefined;
  }
  const value = String(holder?.[leaf] ?? "");
  // In a body, the field stays: the server compares it with the path.
  if (holder === left) delete left[leaf];
  const segments = value.split("/");
  const isUnusable =
    (value === "" && !isOptional) || segments.some((one) => one === "." || one === "..");
  if (isUnusable) {
    const description = `${name} ${value === "" ? "is required" : "cannot be part of a path"}`;
    throw wharfError("INVALID_ARGUMENT", `Invalid argument: ${name}: ${description}`);
  }
  return segments.map(encodeURIComponent).join("/");
}

function withQuery(path: string, fields: Fields): string {
  const text = query(fields).toString();
  return text === "" ? path : `${path}?${text}`;
}

/** Lists repeat their name; nested fields have dotted names. Names are those of the proto files. */
function query(fields: Fields, prefix = "", into = new URLSearchParams()): URLSearchParams {
  for (const [name, value] of Object.entries(fields)) {
    const key = prefix + name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    if (value === undefined) continue;
    if (isObject(value)) query(value, `${key}.`, into);
    else for (const one of [value].flat()) into.append(key, String(one));
  }
  return into;
}
