/** The OpenAPI 3.1 document of the REST API, derived from its routes and from what areas say about their endpoints. */
import type { Method } from "../../rpc/call.ts";
import type { HttpEndpoint } from "../endpoint.ts";
import { routesOf } from "../rest/route.ts";
import {
  CREATE_PARAMETERS,
  DRY_RUN_PARAMETER,
  operationOf,
  PREFER_PARAMETER,
  tagOf,
} from "./operations.ts";
import type { ApiPart, PathItem, Schema } from "./part.ts";
import { describedRoutes } from "./paths.ts";
import { ERROR_RESPONSES, ERROR_SCHEMAS } from "./responses.ts";
import { Schemas } from "./schemas.ts";
import { SECURITY_SCHEMES } from "./security-schemes.ts";
import { textOfService } from "./texts.ts";

const DESCRIPTION = `Control plane of a container supply chain: groups, identities, roles and their bindings; token
exchange; repositories, tags and access tokens of OCI registries; advisories and their feeds; events and the audit log.

- Most operations need \`Authorization: Bearer <token>\`. Workloads get a token from \`/sts/exchange\`, people by
  signing in.
- The same operations are served over gRPC at the same address, and every path with \`v2beta1\` also with \`v2\`.
- UIDs contain slashes. In a path, these may be raw or encoded as \`%2F\`.
- Errors have the form of \`Status\`. Test \`code\` and the \`reason\` in its details, not the message.
- Lists return pages: pass \`nextPageToken\` as \`page_token\` until it is empty.
- 64-bit integers are strings in JSON; times are RFC 3339 in UTC.`;

export interface DocumentInput {
  readonly methods: Iterable<Method>;
  readonly endpoints: readonly HttpEndpoint[];
  readonly parts: readonly ApiPart[];
  readonly servers: readonly string[];
}

/** The document of all served methods that have a route, and of all described endpoints that exist. */
export function openApiDocument({ methods, endpoints, parts, servers }: DocumentInput): Schema {
  const schemas = new Schemas();
  const paths = new Map<string, Record<string, Schema>>();
  const tags = new Map<string, string>();
  const add = (path: string, method: string, operation: Schema) => {
    paths.set(path, { ...paths.get(path), [method]: operation });
  };
  const routes = routesOf(methods).filter((route) => route.method.served);
  for (const described of describedRoutes(routes)) {
    const { route, path } = described;
    const { desc } = route.method;
    tags.set(tagOf(desc), textOfService(desc.parent));
    add(path, route.httpMethod.toLowerCase(), operationOf(described, schemas));
  }
  for (const part of parts) {
    for (const { name, description } of part.tags) tags.set(name, description);
    for (const [path, item] of Object.entries(part.paths)) {
      for (const [method, operation] of served(path, item, endpoints)) add(path, method, operation);
    }
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Wharf",
      version: "v2beta1",
      summary: "Identity, registry and vulnerability management API",
      description: DESCRIPTION,
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: servers.map((url) => ({ url, description: "This installation" })),
    tags: [...tags].map(([name, description]) => ({ name, description })),
    paths: Object.fromEntries([...paths].sort(([a], [b]) => (a < b ? -1 : 1))),
    components: {
      schemas: {
        ...schemas.collected(),
        ...ERROR_SCHEMAS,
        ...Object.assign({}, ...parts.map((part) => part.schemas)),
      },
      parameters: {
        ...CREATE_PARAMETERS,
        ...DRY_RUN_PARAMETER,
        ...PREFER_PARAMETER,
      },
      responses: ERROR_RESPONSES,
      securitySchemes: SECURITY_SCHEMES,
    },
  };
}

/** The operations of a path that an endpoint handles: settings decide which ones exist. */
function served(
  path: string,
  item: PathItem,
  endpoints: readonly HttpEndpoint[],
): [method: string, operation: Schema][] {
  return Object.entries(item).filter(([method]) =>
    endpoints.some((endpoint) => handles(endpoint, method, path)),
  );
}

/** Whether an endpoint handles a path template. */
export function handles(endpoint: HttpEndpoint, method: string, path: string): boolean {
  if (endpoint.method !== method.toUpperCase()) return false;
  return endpoint.prefix ? path.startsWith(endpoint.path) : path === endpoint.path;
}
