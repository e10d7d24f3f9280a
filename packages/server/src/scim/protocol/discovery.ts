import { MAX_RESULTS } from "../reads.ts";
import { KINDS, SCHEMAS, type Schema, type ScimKind } from "./schemas.ts";
import type { Json } from "./values.ts";

const CORE = "urn:ietf:params:scim:schemas:core:2.0";
const LIST_SCHEMA = "urn:ietf:params:scim:api:messages:2.0:ListResponse";

/** The discovery document at a path (RFC 7644, section 4); undefined if there is none. */
export function discover(collection: string, name: string, base: string): Json | undefined {
  switch (collection) {
    case "ServiceProviderConfig":
      return name === "" ? configuration(base) : undefined;
    case "ResourceTypes":
      return oneOrAll(
        name,
        KINDS,
        (kind) => kind.name,
        (kind) => resourceType(kind, base),
      );
    case "Schemas":
      return oneOrAll(
        name,
        SCHEMAS,
        (schema) => schema.id,
        (schema) => schemaOf(schema, base),
      );
    default:
      return undefined;
  }
}

function oneOrAll<T>(
  name: string,
  all: readonly T[],
  nameOf: (one: T) => string,
  show: (one: T) => Json,
): Json | undefined {
  if (name !== "") {
    const found = all.find((one) => nameOf(one) === name);
    return found && show(found);
  }
  return {
    schemas: [LIST_SCHEMA],
    totalResults: all.length,
    startIndex: 1,
    itemsPerPage: all.length,
    Resources: all.map(show),
  };
}

function configuration(base: string): Json {
  return {
    schemas: [`${CORE}:ServiceProviderConfig`],
    patch: { supported: true },
    bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
    filter: { supported: true, maxResults: MAX_RESULTS },
    changePassword: { supported: false },
    sort: { supported: false },
    etag: { supported: true },
    authenticationSchemes: [
      {
        type: "oauthbearertoken",
        name: "Bearer token",
        description: "The token that was generated for the identity provider",
        primary: true,
      },
    ],
    meta: {
      resourceType: "ServiceProviderConfig",
      location: `${base}/ServiceProviderConfig`,
    },
  };
}

function resourceType({ name, collection, schema, extension }: ScimKind, base: string): Json {
  return {
    schemas: [`${CORE}:ResourceType`],
    id: name,
    name,
    endpoint: `/${collection}`,
    description: schema.description,
    schema: schema.id,
    ...(extension && { schemaExtensions: [{ schema: extension.id, required: false }] }),
    meta: { resourceType: "ResourceType", location: `${base}/ResourceTypes/${name}` },
  };
}

function schemaOf({ id, name, description, attributes }: Schema, base: string): Json {
  return {
    schemas: [`${CORE}:Schema`],
    id,
    name,
    description,
    attributes,
    meta: { resourceType: "Schema", location: `${base}/Schemas/${id}` },
  };
}
