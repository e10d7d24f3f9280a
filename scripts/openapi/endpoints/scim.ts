import { type ApiPart, type PathItem, parameter, type Schema, schemaRef, text } from "../part.ts";
import { protocolError } from "../responses.ts";

const TAGS = ["SCIM"];
const SECURITY = [{ scimToken: [] }];
const TYPE = "application/scim+json";
const BASE = "/scim/v2/{provider}";

const PROVIDER = parameter("path", "provider", "UID of the identity provider, with slashes.");
const ID = parameter("path", "id", "Id of the resource.");
const IF_MATCH = parameter("header", "If-Match", "`ETag` that the resource must have.");
const PROJECTION = [
  parameter("query", "attributes", "Attributes to return, comma-separated."),
  parameter("query", "excludedAttributes", "Attributes to leave out, comma-separated."),
];

function response(description: string, schema: string): Schema {
  return { description, content: { [TYPE]: { schema: schemaRef(schema) } } };
}

const SCIM_ERROR = [TYPE, "ScimError"] as const;

const ERRORS: Schema = {
  "401": protocolError("The SCIM token is missing, expired or revoked.", SCIM_ERROR),
  "404": protocolError("There is no such resource.", SCIM_ERROR),
  default: protocolError("Any other error.", SCIM_ERROR),
};

/** The types of RFC 7644 for invalid requests. */
const INVALID = [
  "invalidPath",
  "invalidSyntax",
  "invalidValue",
  "mutability",
  "noTarget",
  "tooMany",
];

const CHANGE_ERRORS: Schema = {
  "400": protocolError("The request is invalid:", SCIM_ERROR, ["invalidFilter", ...INVALID]),
  "409": protocolError("Another resource has what must be unique:", SCIM_ERROR, ["uniqueness"]),
  "412": protocolError("The resource has another `ETag`.", SCIM_ERROR),
  "429": protocolError("The provider writes too often.", SCIM_ERROR),
  ...ERRORS,
};

function body(schema: string): Schema {
  return {
    required: true,
    content: Object.fromEntries(
      [TYPE, "application/json"].map((type) => [type, { schema: schemaRef(schema) }]),
    ),
  };
}

function operation(
  operationId: string,
  summary: string,
  description: string,
  parameters: readonly Schema[],
  rest: Schema,
): Schema {
  return { operationId, summary, description, tags: TAGS, security: SECURITY, parameters, ...rest };
}

type Kind = "User" | "Group";

/** The paths of users or groups. */
function collection(kind: Kind): ApiPart["paths"] {
  return {
    [`${BASE}/${kind}s`]: { get: listOperation(kind), post: createOperation(kind) },
    [`${BASE}/${kind}s/{id}`]: {
      get: getOperation(kind),
      ...changeOperations(kind),
      delete: deleteOperation(kind),
    },
  };
}

function listOperation(kind: Kind): Schema {
  const name = kind.toLowerCase();
  const integer = (minimum: number) => ({ schema: { type: "integer", minimum } });
  return operation(
    `scimList${kind}s`,
    `List provisioned ${name}s`,
    `Lists the ${name}s that the provider has provisioned.`,
    [
      PROVIDER,
      parameter("query", "filter", 'A filter of RFC 7644, such as `userName eq "ada"`.'),
      parameter("query", "startIndex", "Position of the first result, from 1.", integer(1)),
      parameter("query", "count", "Results per page.", integer(0)),
      ...PROJECTION,
    ],
    {
      responses: {
        "200": response(`A page of ${name}s.`, "ScimList"),
        "400": protocolError("The filter is invalid:", SCIM_ERROR, [
          "invalidFilter",
          "invalidValue",
          "tooMany",
        ]),
        ...ERRORS,
      },
    },
  );
}

function createOperation(kind: Kind): Schema {
  const name = kind.toLowerCase();
  return operation(
    `scimCreate${kind}`,
    `Provision ${name}`,
    `Creates a ${name}.`,
    [PROVIDER, ...PROJECTION],
    {
      requestBody: body(`Scim${kind}`),
      responses: { "201": response(`The ${name}.`, `Scim${kind}`), ...CHANGE_ERRORS },
    },
  );
}

function getOperation(kind: Kind): Schema {
  const name = kind.toLowerCase();
  const ifNoneMatch = parameter("header", "If-None-Match", "`ETag` that the client has.");
  return operation(
    `scimGet${kind}`,
    `Get provisioned ${name}`,
    `Returns one ${name}.`,
    [PROVIDER, ID, ifNoneMatch, ...PROJECTION],
    {
      responses: {
        "200": response(`The ${name}.`, `Scim${kind}`),
        "304": { description: "It has not changed." },
        ...ERRORS,
      },
    },
  );
}

function changeOperations(kind: Kind): PathItem {
  const name = kind.toLowerCase();
  const parameters = [PROVIDER, ID, IF_MATCH, ...PROJECTION];
  const changed = response(`The ${name}.`, `Scim${kind}`);
  const notReturned = {
    description: "Changed. Groups are not returned unless attributes are asked for.",
  };
  return {
    put: operation(
      `scimReplace${kind}`,
      `Replace provisioned ${name}`,
      `Replaces all attributes of a ${name}.`,
      parameters,
      { requestBody: body(`Scim${kind}`), responses: { "200": changed, ...CHANGE_ERRORS } },
    ),
    patch: operation(
      `scimPatch${kind}`,
      `Change provisioned ${name}`,
      `Changes attributes of a ${name} by the operations of RFC 7644.`,
      parameters,
      {
        requestBody: body("ScimPatch"),
        responses: { "200": changed, "204": notReturned, ...CHANGE_ERRORS },
      },
    ),
  };
}

function deleteOperation(kind: Kind): Schema {
  return operation(
    `scimDelete${kind}`,
    `Delete provisioned ${kind.toLowerCase()}`,
    kind === "User" ? "Deletes a user and ends their sessions." : "Deletes a group.",
    [PROVIDER, ID, IF_MATCH],
    { responses: { "204": { description: "Deleted." }, ...CHANGE_ERRORS } },
  );
}

/** A discovery document. */
function discovery(path: string, operationId: string, summary: string): ApiPart["paths"] {
  const parameters = path.includes("{id}") ? [PROVIDER, ID] : [PROVIDER];
  const description = "Discovery of what this server supports (RFC 7644, section 4).";
  const responses = { "200": response("The document.", "ScimDocument"), ...ERRORS };
  return {
    [`${BASE}/${path}`]: {
      get: operation(operationId, summary, description, parameters, { responses }),
    },
  };
}

const CORE: Record<string, Schema> = {
  schemas: { type: "array", items: { type: "string" }, description: "URNs of its schemas." },
  id: { ...text("Id that this server has given."), readOnly: true },
  externalId: text("Id that the provider has given."),
  meta: {
    type: "object",
    additionalProperties: true,
    readOnly: true,
    description: "Kind, times, version and location.",
  },
};

/** SCIM 2.0: how identity providers provision users and groups. */
export const SCIM_PART: ApiPart = {
  tags: [
    {
      name: "SCIM",
      description:
        "Provisioning of users and groups by identity providers: SCIM 2.0 (RFC 7643, RFC 7644).",
    },
  ],
  paths: {
    ...collection("User"),
    ...collection("Group"),
    ...discovery("ServiceProviderConfig", "scimServiceProviderConfig", "SCIM configuration"),
    ...discovery("ResourceTypes", "scimResourceTypes", "SCIM resource types"),
    ...discovery("ResourceTypes/{id}", "scimResourceType", "SCIM resource type"),
    ...discovery("Schemas", "scimSchemas", "SCIM schemas"),
    ...discovery("Schemas/{id}", "scimSchema", "SCIM schema"),
  },
  schemas: {
    ScimUser: {
      type: "object",
      description: "A user of RFC 7643.",
      required: ["userName"],
      properties: {
        ...CORE,
        userName: text("The name that the user signs in with at the provider."),
        displayName: text("The name to show."),
        active: { type: "boolean", description: "Whether the user can sign in." },
        name: { type: "object", additionalProperties: true, description: "The parts of the name." },
        emails: {
          type: "array",
          items: { type: "object", additionalProperties: true },
          description: "E-mail addresses.",
        },
      },
      additionalProperties: true,
    },
    ScimGroup: {
      type: "object",
      description: "A group of RFC 7643. Group mappings give its members roles.",
      required: ["displayName"],
      properties: {
        ...CORE,
        displayName: text("The name of the group."),
        members: {
          type: "array",
          items: { type: "object", additionalProperties: true },
          description: "The members: `value` is the id of a user.",
        },
      },
      additionalProperties: true,
    },
    ScimPatch: {
      type: "object",
      description: "Operations on attributes (RFC 7644, section 3.5.2).",
      required: ["schemas", "Operations"],
      properties: {
        schemas: CORE.schemas,
        Operations: {
          type: "array",
          description: "The operations, in order.",
          items: {
            type: "object",
            required: ["op"],
            properties: {
              op: text("`add`, `remove` or `replace`."),
              path: text("The attribute."),
              value: { description: "The value." },
            },
          },
        },
      },
    },
    ScimList: {
      type: "object",
      description: "A page of results.",
      required: ["schemas", "totalResults"],
      properties: {
        schemas: CORE.schemas,
        totalResults: { type: "integer", description: "Results on all pages." },
        startIndex: { type: "integer", description: "Position of the first result, from 1." },
        itemsPerPage: { type: "integer", description: "Results on this page." },
        Resources: {
          type: "array",
          description: "The results.",
          items: { type: "object", additionalProperties: true },
        },
      },
    },
    ScimDocument: {
      type: "object",
      description: "A discovery document of RFC 7643.",
      properties: { schemas: CORE.schemas },
      additionalProperties: true,
    },
    ScimError: {
      type: "object",
      description: "An error of RFC 7644.",
      required: ["schemas", "status"],
      properties: {
        schemas: CORE.schemas,
        status: text("The HTTP status."),
        scimType: text("Why a request is invalid."),
        detail: text("What is wrong, for people."),
      },
    },
  },
};
