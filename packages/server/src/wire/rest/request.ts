/** Decodes the path, query and body of a REST request to the request message of a method. */
import type { DescField, DescMessage, JsonValue, Message } from "@bufbuild/protobuf";
import { create } from "@bufbuild/protobuf";
import type { FieldMask } from "@bufbuild/protobuf/wkt";
import { FieldMaskSchema } from "@bufbuild/protobuf/wkt";
import { invalidArgument } from "../../lib/errors.ts";
import { setField } from "../../rpc/fields.ts";
import {
  type ParsedJson,
  type ParseOptions,
  parseJson,
  unknownField,
} from "../../rpc/json-parse.ts";
import { fieldFromJson, fieldNamed, messageFromJson } from "../../rpc/json-read.ts";
import { inferMask } from "./mask.ts";
import { child, readQuery, setFromText } from "./query.ts";
import type { MaskRule, Route } from "./route.ts";

/** A request and where its parts come from. */
export interface RestRequest {
  readonly route: Route;
  /** The values of the path. */
  readonly values: readonly string[];
  readonly query: string;
  readonly body: string;
}

export interface DecodedRequest {
  readonly message: Message;
  /** The paths of the fields of the body that the schema does not have. */
  readonly unknown: readonly string[];
}

/** Builds the message. The path overrides the body; the query sets only fields that neither has. */
export function readRequest(
  request: RestRequest,
  unknown: ParseOptions["unknown"] = "ignore",
): DecodedRequest {
  const { route } = request;
  const json = route.body === "none" ? undefined : parse(request, { unknown });
  const message = build(request, json?.value);
  if (json !== undefined && route.mask) fillMask(message, route, route.mask, json);
  return { message, unknown: json?.unknown ?? [] };
}

/** The scope of the request, for a denial. Nothing else in its body is decoded. */
export function readScope(request: RestRequest): string {
  const { method, body } = request.route;
  const { scope } = method;
  if (scope === undefined) return "";
  const json = body === "none" ? undefined : parse(request, { only: scope.path });
  return scope.read(build(request, json?.value));
}

function build({ route, values, query }: RestRequest, json: JsonValue | undefined): Message {
  const { input } = route.method.desc;
  const message: Message =
    route.body === "whole" ? messageFromJson(input, json ?? {}) : create(input);
  if (typeof route.body === "object") fieldFromJson(message, route.body, json ?? {});
  if (route.body !== "whole" && query !== "") readQuery(message, input, query, route.bound);
  bindPath(message, route, values);
  return message;
}

function bindPath(message: Message, route: Route, values: readonly string[]): void {
  for (let at = 0; at < values.length; at++) {
    const chain = route.variables[at] as readonly DescField[];
    const leaf = chain[chain.length - 1] as DescField;
    const holder = chain.length === 1 ? message : chain.slice(0, -1).reduce(child, message);
    setFromText(holder, leaf, values[at] as string, leaf.jsonName);
  }
}

function parse({ route, body }: RestRequest, options: ParseOptions): ParsedJson {
  const shape = typeof route.body === "object" ? route.body : route.method.desc.input;
  return parseBody(body, shape, options);
}

/** Parses a JSON body by its shape; an empty one is an empty message. */
export function parseBody(
  body: string,
  shape: DescMessage | DescField,
  options?: ParseOptions,
): ParsedJson {
  if (body === "") return { value: {}, unknown: [] };
  try {
    return parseJson(body, shape, options);
  } catch (thrown) {
    if (!(thrown instanceof SyntaxError)) throw thrown;
    throw invalidArgument({ field: "", description: "the body is not valid JSON" });
  }
}

/** Derives the field mask from the body if the client sends none. Unknown fields are errors then. */
function fillMask(message: Message, route: Route, rule: MaskRule, json: ParsedJson): void {
  const mask = (message as unknown as Record<string, FieldMask | undefined>)[rule.field.localName];
  if (mask && mask.paths.length > 0) return;
  const whole = route.body === "whole";
  // Fields of the resource are named without it.
  const prefix = whole ? `${rule.resource.jsonName}.` : "";
  const unknown = json.unknown.find((path) => path.startsWith(prefix));
  if (unknown !== undefined) throw unknownField(unknown.slice(prefix.length));
  const resource = whole ? resourceOf(route, rule, json.value) : json.value;
  const bound = route.variables.find((chain) => chain.length === 2 && chain[0] === rule.resource);
  const paths = inferMask(rule.resource.message, resource, bound?.[1]?.name);
  setField(message, rule.field, create(FieldMaskSchema, { paths }));
}

function resourceOf(route: Route, rule: MaskRule, json: JsonValue): JsonValue {
  for (const [key, value] of Object.entries(json as object)) {
    if (fieldNamed(route.method.desc.input, key) === rule.resource) return value ?? {};
  }
  return {};
}
