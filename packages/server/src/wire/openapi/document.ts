/** The OpenAPI 3.1 document of the REST API, derived from its routes. */
import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { isWrapperDesc } from "@bufbuild/protobuf/wkt";
import { accessOf, fieldBehavior, isCreate } from "@wharf/contract";
import type { Method } from "../../rpc/call.ts";
import type { Route } from "../rest/route.ts";
import { routesOf } from "../rest/route.ts";
import type { Schema } from "./schemas.ts";
import { Schemas } from "./schemas.ts";

/** Filters are nested once; the bound ends the recursion of recursive messages. */
const MAX_QUERY_DEPTH = 3;

const STATUS: Schema = {
  type: "object",
  title: "google.rpc.Status",
  required: ["code", "message", "details"],
  properties: {
    code: { type: "integer", format: "int32", description: "Canonical code, as in gRPC." },
    message: { type: "string" },
    details: {
      type: "array",
      description: "ErrorInfo first; then BadRequest, PreconditionFailure or ResourceInfo.",
      items: {
        type: "object",
        required: ["@type"],
        properties: { "@type": { type: "string" } },
        additionalProperties: true,
      },
    },
  },
};

const KEY: Schema = { type: "string", minLength: 1, maxLength: 255 };

/** The parameters of creates, by name. */
const CREATE_PARAMETERS: Readonly<Record<string, Schema>> = {
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

const CREATE_HEADERS: Schema = {
  "Idempotency-Replayed": {
    description: "The response is that of an earlier request with the same idempotency key.",
    schema: { type: "string", enum: ["true"] },
  },
};

/** The document of all served methods that have a route. */
export function openApiDocument(methods: Iterable<Method>): Schema {
  const schemas = new Schemas();
  const paths: Record<string, Record<string, Schema>> = {};
  const ids = new Set<string>();
  const routes = routesOf(methods).filter((route) => route.method.served);
  for (const route of routes) {
    const path = route.template.replace(/\{([^}=]+)[^}]*\}/g, "{$1}");
    const item = paths[path] ?? {};
    item[route.httpMethod.toLowerCase()] = operation(route, schemas, ids);
    paths[path] = item;
  }
  return {
    openapi: "3.1.0",
    info: { title: "Wharf", version: "v2beta1" },
    paths,
    components: {
      schemas: { ...schemas.collected(), Status: STATUS },
      parameters: CREATE_PARAMETERS,
      responses: {
        Error: {
          description: "The call failed.",
          content: { "application/json": { schema: { $ref: "#/components/schemas/Status" } } },
        },
      },
      securitySchemes: { bearer: { type: "http", scheme: "bearer", bearerFormat: "JWT" } },
    },
  };
}

function operation(route: Route, schemas: Schemas, ids: Set<string>): Schema {
  const { desc } = route.method;
  const isPublic = accessOf(desc)?.kind === "anyone";
  const response = { "application/json": { schema: schemas.message(desc.output) } };
  return {
    operationId: uniqueId(`${desc.parent.name}_${desc.name}`, ids),
    tags: [desc.parent.name],
    security: isPublic ? [] : [{ bearer: [] }],
    parameters: [
      ...pathParameters(route),
      ...queryParameters(route, schemas),
      ...(isCreate(desc) ? Object.keys(CREATE_PARAMETERS).map(parameterRef) : []),
    ],
    ...(route.body === "none" ? undefined : { requestBody: requestBody(route, schemas) }),
    responses: {
      "200": {
        description: "OK",
        ...(isCreate(desc) && { headers: CREATE_HEADERS }),
        content: response,
      },
      default: { $ref: "#/components/responses/Error" },
    },
  };
}

function parameterRef(name: string): Schema {
  return { $ref: `#/components/parameters/${name}` };
}

/** Services of v1 and v2 can share a name; later ones get a number. */
function uniqueId(wanted: string, ids: Set<string>): string {
  let id = wanted;
  for (let n = 2; ids.has(id); n++) id = `${wanted}_${n}`;
  ids.add(id);
  return id;
}

function pathParameters(route: Route): Schema[] {
  return route.variables.map((chain) => ({
    name: chain.map((field) => field.name).join("."),
    in: "path",
    required: true,
    description: "May contain slashes, raw or as %2F.",
    schema: { type: "string" },
  }));
}

function queryParameters(route: Route, schemas: Schemas): Schema[] {
  if (route.body === "whole") return [];
  return fieldsOf(route.method.desc.input, "", route.bound, MAX_QUERY_DEPTH).map(
    ([name, field]) => ({
      name,
      in: "query",
      ...(fieldBehavior(field).required ? { required: true } : undefined),
      schema: schemas.field(field),
    }),
  );
}

function fieldsOf(
  message: DescMessage,
  prefix: string,
  bound: ReadonlySet<string>,
  depth: number,
): [name: string, field: DescField][] {
  return message.fields.flatMap((field): [string, DescField][] => {
    const name = prefix + field.name;
    if (bound.has(name) || field.fieldKind === "map" || depth === 0) return [];
    if (!field.message || isText(field.message)) return [[name, field]];
    if (field.fieldKind === "list") return [];
    return fieldsOf(field.message, `${name}.`, bound, depth - 1);
  });
}

function isText(message: DescMessage): boolean {
  return isWrapperDesc(message) || message.file.name.startsWith("google/protobuf/");
}

function requestBody(route: Route, schemas: Schemas): Schema {
  const schema =
    typeof route.body === "object"
      ? schemas.field(route.body)
      : schemas.message(route.method.desc.input);
  return { required: true, content: { "application/json": { schema } } };
}
