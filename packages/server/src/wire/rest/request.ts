/** Decodes the path, query and body of a REST request to the request message of a method. */
import type { DescField, JsonValue, Message } from "@bufbuild/protobuf";
import { create } from "@bufbuild/protobuf";
import type { FieldMask } from "@bufbuild/protobuf/wkt";
import { FieldMaskSchema } from "@bufbuild/protobuf/wkt";
import { invalidArgument } from "../../lib/errors.ts";
import { setField } from "../../rpc/fields.ts";
import { parseJson } from "../../rpc/json-parse.ts";
import { fieldFromJson, fieldNamed, messageFromJson } from "../../rpc/json-read.ts";
import { inferMask } from "./mask.ts";
import { child, readQuery, setFromText } from "./query.ts";
import type { MaskRule, Route } from "./route.ts";

/** Builds the message. The path overrides the body; the query sets only fields that neither has. */
export function readRequest(
  route: Route,
  values: readonly string[],
  query: string,
  body: string,
): Message {
  const { input } = route.method.desc;
  if (route.body === "none") {
    const message: Message = create(input);
    if (query !== "") readQuery(message, input, query, route.bound);
    bindPath(message, route, values);
    return message;
  }
  const json = parseBody(body);
  const message: Message = route.body === "whole" ? messageFromJson(input, json) : create(input);
  if (typeof route.body === "object") {
    fieldFromJson(message, route.body, json);
    if (query !== "") readQuery(message, input, query, route.bound);
  }
  bindPath(message, route, values);
  if (route.mask) fillMask(message, route, route.mask, json);
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

/** Parses a JSON body; an empty one is an empty message. */
export function parseBody(body: string): JsonValue {
  if (body === "") return {};
  try {
    return parseJson(body);
  } catch {
    throw invalidArgument({ field: "", description: "the body is not valid JSON" });
  }
}

/** Derives the field mask from the body if the client sends none. Unknown fields are errors then. */
function fillMask(message: Message, route: Route, rule: MaskRule, json: JsonValue): void {
  const given = (message as unknown as Record<string, FieldMask | undefined>)[rule.field.localName];
  if (given && given.paths.length > 0) return;
  const whole = route.body === "whole";
  const resource = whole ? resourceOf(route, rule, json) : json;
  const schema = rule.resource.message;
  messageFromJson(schema, resource, { unknown: "reject" });
  const bound = route.variables.find((chain) => chain.length === 2 && chain[0] === rule.resource);
  const paths = inferMask(schema, resource, bound?.[1]?.name);
  setField(message, rule.field, create(FieldMaskSchema, { paths }));
}

function resourceOf(route: Route, rule: MaskRule, json: JsonValue): JsonValue {
  for (const [key, value] of Object.entries(json as object)) {
    if (fieldNamed(route.method.desc.input, key) === rule.resource) return value ?? {};
  }
  return {};
}
