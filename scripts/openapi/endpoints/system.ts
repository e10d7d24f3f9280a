import { type ApiPart, parameter, type Schema, schemaRef } from "../part.ts";
import { COMMON_ERRORS, jsonResponse } from "../responses.ts";

const TAGS = ["System"];

const TEXT: Schema = { "text/plain": { schema: { type: "string" } } };

const JWKS_RESPONSE = jsonResponse("A JSON Web Key Set (RFC 7517).", schemaRef("JsonWebKeySet"));

function keySet(operationId: string, summary: string, description: string): Schema {
  return {
    operationId,
    summary,
    description,
    tags: TAGS,
    security: [],
    responses: { "200": JWKS_RESPONSE, ...COMMON_ERRORS },
  };
}

/** Health, metrics, keys and descriptions. */
export const SYSTEM_PART: ApiPart = {
  tags: [{ name: "System", description: "Health, metrics, keys and descriptions of this server." }],
  paths: {
    "/healthz": {
      get: {
        operationId: "healthz",
        summary: "Liveness",
        description: "Answers as long as the process runs.",
        tags: TAGS,
        security: [],
        responses: { "200": { description: "The process runs.", content: TEXT }, ...COMMON_ERRORS },
      },
    },
    "/readyz": {
      get: {
        operationId: "readyz",
        summary: "Readiness",
        description: "Whether load balancers should send requests here.",
        tags: TAGS,
        security: [],
        responses: {
          "200": { description: "The server is ready.", content: TEXT },
          "503": jsonResponse("The server is not ready.", schemaRef("NotReady"), {
            status: "not_ready",
            reason: "stopping",
            message: "the server is stopping",
          }),
          ...COMMON_ERRORS,
        },
      },
    },
    "/version": {
      get: {
        operationId: "version",
        summary: "Version",
        description: "The version of this server and what it was built from.",
        tags: TAGS,
        security: [],
        responses: {
          "200": jsonResponse("The version.", schemaRef("Version")),
          ...COMMON_ERRORS,
        },
      },
    },
    "/metrics": {
      get: {
        operationId: "metrics",
        summary: "Metrics",
        description: "Metrics in the text format of Prometheus.",
        tags: TAGS,
        security: [],
        responses: {
          "200": {
            description: "The metrics.",
            content: { "text/plain": { schema: { type: "string" } } },
          },
          ...COMMON_ERRORS,
        },
      },
    },
    "/openapi.json": {
      get: {
        operationId: "openapi",
        summary: "API description",
        description: "This document. Its `ETag` changes with it.",
        tags: TAGS,
        security: [],
        parameters: [
          parameter("header", "If-None-Match", "`ETag` of a document that the client has."),
        ],
        responses: {
          "200": jsonResponse("The OpenAPI document.", { type: "object" }),
          "304": { description: "The client has the current document." },
          ...COMMON_ERRORS,
        },
      },
    },
    "/.well-known/openid-configuration": {
      get: {
        operationId: "openidConfiguration",
        summary: "OpenID discovery",
        description: "The endpoints and keys of this issuer (OpenID Connect Discovery 1.0).",
        tags: TAGS,
        security: [],
        responses: {
          "200": jsonResponse("The metadata of the issuer.", schemaRef("OpenIdConfiguration")),
          ...COMMON_ERRORS,
        },
      },
    },
    "/.well-known/oauth-authorization-server": {
      get: {
        operationId: "authorizationServerMetadata",
        summary: "Authorization server metadata",
        description: "The same for clients of OAuth 2.0 (RFC 8414).",
        tags: TAGS,
        security: [],
        responses: {
          "200": jsonResponse("The metadata of the issuer.", schemaRef("OpenIdConfiguration")),
          ...COMMON_ERRORS,
        },
      },
    },
    "/.well-known/oauth-protected-resource": {
      get: {
        operationId: "protectedResourceMetadata",
        summary: "Protected resource metadata",
        description:
          "Which issuer has the tokens for this API (RFC 9728). Responses with status 401 name this document.",
        tags: TAGS,
        security: [],
        responses: {
          "200": jsonResponse("The metadata of the API.", schemaRef("ProtectedResource")),
          ...COMMON_ERRORS,
        },
      },
    },
    "/.well-known/jwks.json": {
      get: keySet(
        "jwks",
        "Keys of access tokens",
        "The public keys that verify tokens of this issuer.",
      ),
    },
    "/.well-known/wharf-audit-keys.json": {
      get: keySet(
        "auditKeys",
        "Keys of audit checkpoints",
        "The public keys that verify checkpoints of the audit log: the current one and replaced ones.",
      ),
    },
    "/.well-known/webhook-keys.json": {
      get: keySet(
        "webhookKeys",
        "Keys of event deliveries",
        "The public keys that verify signatures of delivered events.",
      ),
    },
  },
  schemas: {
    JsonWebKeySet: {
      type: "object",
      description: "A JSON Web Key Set (RFC 7517).",
      required: ["keys"],
      properties: {
        keys: {
          type: "array",
          description: "The public keys.",
          items: { type: "object", additionalProperties: true },
        },
      },
    },
    NotReady: {
      type: "object",
      description: "Why a server is not ready.",
      required: ["status", "reason", "message"],
      properties: {
        status: { type: "string", enum: ["not_ready"], description: "Always `not_ready`." },
        reason: { type: "string", description: "The reason, for programs." },
        message: { type: "string", description: "The reason, for people." },
      },
    },
    Version: {
      type: "object",
      description: "A version of the server.",
      required: ["version", "commit", "buildDate"],
      properties: {
        version: { type: "string", description: "The version, as semantic versioning has it." },
        commit: { type: "string", description: "Hash of the commit; empty if it is not known." },
        buildDate: {
          type: "string",
          description: "Date of the commit; empty if it is not known.",
        },
      },
    },
    ProtectedResource: {
      type: "object",
      description: "Metadata of the API, as RFC 9728 names it.",
      required: ["resource", "authorization_servers"],
      properties: {
        resource: { type: "string", description: "The audience of tokens for the API." },
        authorization_servers: {
          type: "array",
          description: "The issuers of these tokens.",
          items: { type: "string" },
        },
      },
      additionalProperties: true,
    },
    OpenIdConfiguration: {
      type: "object",
      description: "Metadata of the issuer, as OpenID Connect Discovery 1.0 and RFC 8414 name it.",
      required: ["issuer", "jwks_uri", "token_endpoint", "authorization_endpoint"],
      properties: {
        issuer: { type: "string", description: "The issuer of tokens." },
        jwks_uri: { type: "string", description: "Where the keys are." },
        token_endpoint: { type: "string", description: "The OAuth 2.0 token endpoint." },
        authorization_endpoint: { type: "string", description: "Where sign-ins start." },
        userinfo_endpoint: { type: "string", description: "Claims of the person." },
        device_authorization_endpoint: {
          type: "string",
          description: "Where devices start a sign-in (RFC 8628).",
        },
      },
      additionalProperties: true,
    },
  },
};
