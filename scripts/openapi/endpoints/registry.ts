import { type ApiPart, parameter, type Schema, schemaRef, text } from "../part.ts";
import { COMMON_ERRORS, jsonResponse, protocolError } from "../responses.ts";

const TAGS = ["Registry access"];

/** No credentials, or those of one of these schemes. */
const CREDENTIALS = [{}, { basic: [] }, { bearer: [] }];

const REGISTRY_ERROR = ["application/json", "RegistryErrors"] as const;

const REJECTED = {
  "400": protocolError("The request is invalid:", REGISTRY_ERROR, ["UNSUPPORTED"]),
  "401": protocolError("The credentials are rejected:", REGISTRY_ERROR, ["UNAUTHORIZED"]),
  "403": protocolError("The scopes are not granted:", REGISTRY_ERROR, ["DENIED"]),
};

const TOKEN_RESPONSES: Schema = {
  "200": jsonResponse("A token for the granted scopes.", schemaRef("RegistryToken")),
  ...REJECTED,
  ...COMMON_ERRORS,
};

const SERVICE = "Host of the registry. Default: the first one of the installation.";
const SCOPE =
  "What the token is for, such as `repository:acme/app:pull,push`; several are repeated.";

function tokenItem(suffix: string): Record<string, Schema> {
  const description =
    "The token protocol of CNCF Distribution. Without credentials, the token allows what is public.";
  return {
    get: {
      operationId: `registryToken${suffix}`,
      summary: "Get registry token",
      description,
      tags: TAGS,
      security: CREDENTIALS,
      parameters: [
        parameter("query", "service", SERVICE),
        parameter("query", "scope", SCOPE, {
          schema: { type: "array", items: { type: "string" } },
        }),
      ],
      responses: TOKEN_RESPONSES,
    },
    post: {
      operationId: `registryTokenForm${suffix}`,
      summary: "Get registry token by form",
      description: `${description} Credentials are in the form, as OAuth 2.0 sends them.`,
      tags: TAGS,
      security: CREDENTIALS,
      requestBody: {
        required: true,
        content: {
          "application/x-www-form-urlencoded": { schema: schemaRef("RegistryTokenRequest") },
        },
      },
      responses: TOKEN_RESPONSES,
    },
  };
}

/** Endpoints of registries and their clients. */
export const REGISTRY_PART: ApiPart = {
  tags: [
    {
      name: "Registry access",
      description:
        "Tokens for attached OCI registries, the keys that verify them, and notifications.",
    },
  ],
  paths: {
    "/token": tokenItem(""),
    "/registry/token": tokenItem("Alias"),
    "/registry/certs.pem": {
      get: {
        operationId: "registryCertificates",
        summary: "Certificates of registry tokens",
        description: "The certificates with which registries verify tokens, as PEM.",
        tags: TAGS,
        security: [],
        responses: {
          "200": {
            description: "The certificates.",
            content: { "application/x-pem-file": { schema: { type: "string" } } },
          },
          ...COMMON_ERRORS,
        },
      },
    },
    "/registry/jwks.json": {
      get: {
        operationId: "registryJwks",
        summary: "Keys of registry tokens",
        description: "The keys with which registries verify tokens, as a JSON Web Key Set.",
        tags: TAGS,
        security: [],
        responses: {
          "200": jsonResponse("The keys.", schemaRef("JsonWebKeySet")),
          ...COMMON_ERRORS,
        },
      },
    },
    "/registry/notifications": {
      post: {
        operationId: "registryNotifications",
        summary: "Receive notifications",
        description:
          "Where attached registries report pushes, pulls and deletions: an envelope of CNCF Distribution, or a CloudEvent of zot. After any other answer than 200, the registry sends them again.",
        tags: TAGS,
        security: [{ webhookSecret: [] }],
        requestBody: {
          required: true,
          content: Object.fromEntries(
            [
              "application/vnd.docker.distribution.events.v1+json",
              "application/vnd.docker.distribution.events.v2+json",
              "application/cloudevents+json",
              "application/json",
            ].map((type) => [type, { schema: { type: "object", additionalProperties: true } }]),
          ),
        },
        responses: {
          "200": jsonResponse("The notifications are stored.", { type: "object" }),
          ...REJECTED,
          ...COMMON_ERRORS,
        },
      },
    },
    "/v2/{repository}/_chainguard/history/{tag}": {
      get: {
        operationId: "tagHistory",
        summary: "History of a tag",
        description: "The digests that a tag has stood for, oldest first, at most 1,000.",
        tags: TAGS,
        security: [{ registryToken: [] }, { basic: [] }],
        parameters: [
          parameter("path", "repository", "Path of the repository, with slashes."),
          parameter("path", "tag", "Name of the tag."),
          parameter("query", "start", "From this time on, such as 2026-01-31T09:30:00Z."),
          parameter("query", "end", "Before this time."),
        ],
        responses: {
          "200": jsonResponse("The history.", schemaRef("TagHistoryResponse")),
          ...REJECTED,
          "404": protocolError("There is no such tag:", REGISTRY_ERROR, ["NAME_UNKNOWN"]),
          ...COMMON_ERRORS,
        },
      },
    },
  },
  schemas: {
    RegistryErrors: {
      type: "object",
      description: "Errors in the format of the OCI distribution specification.",
      required: ["errors"],
      properties: {
        errors: {
          type: "array",
          description: "One error.",
          items: {
            type: "object",
            required: ["code", "message"],
            properties: {
              code: text("Code of the specification, such as `DENIED`."),
              message: text("What is wrong."),
              detail: { description: "Always null." },
            },
          },
        },
      },
    },
    RegistryTokenRequest: {
      type: "object",
      description: "A request for a registry token by OAuth 2.0.",
      properties: {
        grant_type: {
          type: "string",
          enum: ["password", "refresh_token"],
          description: "How the client authenticates.",
        },
        username: text("Name of a pull token, or `_token`."),
        password: text("Its password, or a token of this installation."),
        refresh_token: text("A token of this installation."),
        service: text(SERVICE),
        scope: { type: "array", items: { type: "string" }, description: SCOPE },
      },
    },
    RegistryToken: {
      type: "object",
      description: "A token for one registry, valid for five minutes.",
      required: ["token", "access_token", "expires_in", "issued_at"],
      properties: {
        token: text("The token."),
        access_token: text("The same token, for clients that use OAuth 2.0."),
        expires_in: { type: "integer", description: "Seconds until it expires." },
        issued_at: { type: "string", format: "date-time", description: "When it was issued." },
        scope: text("The granted scopes, separated by spaces."),
      },
    },
    TagHistoryResponse: {
      type: "object",
      description: "The history of a tag.",
      required: ["history"],
      properties: {
        history: {
          type: "array",
          description: "Its digests, oldest first.",
          items: {
            type: "object",
            required: ["updateTimestamp", "digest"],
            properties: {
              updateTimestamp: {
                type: "string",
                format: "date-time",
                description: "When the tag was moved to the digest.",
              },
              digest: text("The digest."),
            },
          },
        },
      },
    },
  },
};
