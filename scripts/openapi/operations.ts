/** The operation of a route. */
import type { DescField, DescMessage, DescMethod } from "@bufbuild/protobuf";
import { FieldMaskSchema, isWrapperDesc } from "@bufbuild/protobuf/wkt";
import {
  accessOf,
  type Capability,
  capabilityName,
  fieldBehavior,
  httpRulesOf,
  isCreate,
} from "@wharf/contract";
import type { Route } from "../../packages/server/src/wire/rest/route.ts";
import { content, type Schema } from "./part.ts";
import type { DescribedRoute } from "./paths.ts";
import { reasonsOf, takesForeignToken } from "./reasons.ts";
import { COMMON_ERRORS, errorResponses } from "./responses.ts";
import type { Schemas } from "./schemas.ts";
import { capitalized, isVersion1, summaryOf, textOfField, textOfMethod, wordsOf } from "./texts.ts";

/** Filters are nested once; the bound ends the recursion of recursive messages. */
const MAX_QUERY_DEPTH = 3;

const KEY: Schema = { type: "string", minLength: 1, maxLength: 255 };

/** The parameters of creates, by name. */
export const CREATE_PARAMETERS: Readonly<Record<string, Schema>> = {
  IdempotencyKey: {
    name: "Idempotency-Key",
    in: "header",
    description:
      "Up to 255 visible ASCII characters, in double quotes or without. Requests of one caller with the same key are " +
      "executed once and get the same response, for 24 hours. Another request with the key fails with " +
      "FAILED_PRECONDITION and the violation IDEMPOTENCY_KEY_REUSED.",
    schema: KEY,
  },
  RequestId: {
    name: "request_id",
    in: "query",
    description: "The idempotency key, for clients that cannot set headers.",
    schema: KEY,
  },
};

/** The parameter of methods that can be tried. */
export const DRY_RUN_PARAMETER: Readonly<Record<string, Schema>> = {
  DryRun: {
    name: "Wharf-Dry-Run",
    in: "header",
    description:
      "`true` for a dry run: the request is authorized, validated and executed, and then rolled back. The response is the " +
      "one that the request would get, without secrets. Nothing is stored or sent.",
    schema: { type: "string", enum: ["true", "false"] },
  },
};

/** The parameter of methods with a body. */
export const PREFER_PARAMETER: Readonly<Record<string, Schema>> = {
  Prefer: {
    name: "Prefer",
    in: "header",
    description:
      "`handling=strict` rejects fields of the body that the schema does not have. Otherwise they are ignored, and the " +
      "header `Warning` of the response names them.",
    schema: { type: "string" },
  },
};

const CREATE_HEADERS: Schema = {
  "Idempotency-Replayed": {
    description: "The response is that of an earlier request with the same idempotency key.",
    schema: { type: "string", enum: ["true"] },
  },
};

/** The name of the tag of a service: services of version 1 have tags of their own. */
export function tagOf({ parent }: DescMethod): string {
  const name = capitalized(wordsOf(parent.name.replace(/Service$/, "")));
  return isVersion1(parent.typeName) ? `${name} (v1)` : name;
}

/** Never changes for a method: clients derive names of functions from it. */
function operationIdOf({ route, isRoot }: DescribedRoute): string {
  const { desc } = route.method;
  const { name, parent } = desc;
  const version = isVersion1(parent.typeName) ? "V1_" : "";
  const root = isRoot ? "_Organization" : "";
  // The bindings of one method differ in their HTTP methods.
  const isFirst = httpRulesOf(desc)[0]?.verb === route.httpMethod;
  const alternative = isFirst ? "" : `_${capitalized(route.httpMethod.toLowerCase())}`;
  return `${version}${parent.name}_${name}${root}${alternative}`;
}

export function operationOf(described: DescribedRoute, schemas: Schemas): Schema {
  const { route, isRoot } = described;
  const { desc, isPublic } = route.method;
  return {
    operationId: operationIdOf(described),
    summary: isRoot ? "Create organization" : summaryOf(desc),
    description: descriptionOf(described),
    tags: [tagOf(desc)],
    security: takesForeignToken(desc) ? [{ subjectToken: [] }] : isPublic ? [] : [{ bearer: [] }],
    parameters: [
      ...(isRoot ? [] : pathParameters(described)),
      ...queryParameters(route, schemas),
      ...(isCreate(desc) ? Object.keys(CREATE_PARAMETERS).map(parameterRef) : []),
      ...(route.body === "none" ? [] : Object.keys(PREFER_PARAMETER).map(parameterRef)),
      ...(route.method.canBeTried ? Object.keys(DRY_RUN_PARAMETER).map(parameterRef) : []),
    ],
    ...requestBodyOf(route, schemas),
    responses: {
      "200": {
        description: "OK",
        ...(isCreate(desc) && { headers: CREATE_HEADERS }),
        content: responseContent(desc, schemas),
      },
      ...errorResponses(reasonsOf(desc, route.variables.length > 0 && !isRoot)),
      ...COMMON_ERRORS,
    },
  };
}

function descriptionOf({ route: { method }, isRoot }: DescribedRoute): string {
  const text = isRoot
    ? "Creates a group without a parent. The caller becomes its owner."
    : textOfMethod(method.desc);
  return [text, accessText(method.desc)].filter(Boolean).join("\n\n");
}

/** The required access of callers, in a sentence. */
function accessText(desc: DescMethod): string {
  const access = accessOf(desc);
  switch (access?.kind) {
    case "anyone":
      return takesForeignToken(desc)
        ? "The method itself checks the bearer token."
        : "Needs no token.";
    case "authenticated":
      return "Needs a valid token, and no capability.";
    case "scoped":
      return `Needs ${capabilitiesText(access.capabilities)} at the resource or a group above it.`;
    case "unscoped":
      return `Needs ${capabilitiesText(access.capabilities)}; acts only on what the caller holds it for.`;
    default:
      return "Needs the operator's token.";
  }
}

function capabilitiesText(capabilities: readonly Capability[]): string {
  const names = capabilities.map((one) => `\`${capabilityName(one)}\``);
  return names.length === 1 ? `the capability ${names[0]}` : `the capabilities ${names.join(", ")}`;
}

function parameterRef(name: string): Schema {
  return { $ref: `#/components/parameters/${name}` };
}

function pathParameters({ route, names }: DescribedRoute): Schema[] {
  return route.variables.map((chain, n) => {
    const field = chain.at(-1) as DescField;
    const isDeep = route.template.includes(`{${chain.map(({ name }) => name).join(".")}=**}`);
    const slashes = isDeep ? " Slashes may be raw or encoded as %2F." : "";
    return {
      name: names[n],
      in: "path",
      required: true,
      // One path has one name for a variable: a POST calls it by that of the other methods.
      ...(field.name !== names[n] && { "x-displayName": field.name }),
      description: textOfField(field) + slashes,
      schema: { type: "string" },
    };
  });
}

function queryParameters(route: Route, schemas: Schemas): Schema[] {
  if (route.body === "whole") return [];
  const fields = queryFields(route.method.desc.input, "", route.bound, MAX_QUERY_DEPTH);
  return fields.map(([name, field]) => {
    const { description, readOnly: _, ...schema } = schemas.field(field);
    return {
      name,
      in: "query",
      ...(fieldBehavior(field).required ? { required: true } : undefined),
      description,
      schema,
    };
  });
}

function queryFields(
  message: DescMessage,
  prefix: string,
  bound: ReadonlySet<string>,
  depth: number,
): [name: string, field: DescField][] {
  return message.fields.flatMap((field): [string, DescField][] => {
    const name = prefix + field.name;
    if (bound.has(name) || field.fieldKind === "map" || depth === 0) return [];
    // The only parameter in camel case, as in the examples of the specification; both forms are accepted.
    if (field.message?.typeName === FieldMaskSchema.typeName) return [[field.jsonName, field]];
    if (!field.message || isText(field.message)) return [[name, field]];
    if (field.fieldKind === "list") return [];
    return queryFields(field.message, `${name}.`, bound, depth - 1);
  });
}

function isText(message: DescMessage): boolean {
  return isWrapperDesc(message) || message.file.name.startsWith("google/protobuf/");
}

function requestBodyOf(route: Route, schemas: Schemas): Schema | undefined {
  const { input } = route.method.desc;
  if (typeof route.body === "object") {
    const { message } = route.body;
    const isPatch = route.httpMethod === "PATCH";
    const schema =
      message === undefined || route.body.fieldKind !== "message"
        ? schemas.field(route.body)
        : isPatch
          ? schemas.partial(message)
          : schemas.request(message);
    return { requestBody: { required: true, content: content(schema) } };
  }
  if (route.body === "whole") {
    const isWhole = route.bound.size === 0;
    const schema = isWhole ? schemas.request(input) : schemas.without(input, route.bound);
    return { requestBody: { required: true, content: content(schema) } };
  }
  if (route.httpMethod !== "POST") return undefined;
  const description =
    "The parameters as a form, for values that are too long or too secret for a URL.";
  const properties = queryFields(input, "", route.bound, MAX_QUERY_DEPTH).map(([name, field]) => [
    name,
    schemas.field(field),
  ]);
  const schema = { type: "object", properties: Object.fromEntries(properties) };
  const form = content(schema, "application/x-www-form-urlencoded");
  return { requestBody: { required: false, description, content: form } };
}

function responseContent(desc: DescMethod, schemas: Schemas): Schema {
  if (desc.methodKind !== "server_streaming") return content(schemas.message(desc.output));
  const description =
    "Server-sent events (text/event-stream): `id` is the position, by which `Last-Event-ID` resumes, and `data` is the message as JSON.";
  return content({ type: "string", description }, "text/event-stream");
}
