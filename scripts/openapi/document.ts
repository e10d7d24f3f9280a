/** The OpenAPI 3.1 document of the REST API, derived from its routes and from what areas say about their endpoints. */
import { accessOf } from "@wharf/contract";
import { API_SERVICES as SERVICES } from "../../packages/server/src/app/areas.ts";
import { dryRunsOf } from "../../packages/server/src/app/dry-runs.ts";
import type { Method } from "../../packages/server/src/rpc/call.ts";
import { guardOf } from "../../packages/server/src/rpc/guard.ts";
import { routesOf } from "../../packages/server/src/wire/rest/route.ts";
import { StepError } from "../step.ts";
import { DISTRIBUTION_PART } from "./endpoints/distribution.ts";
import { FEEDS_PART } from "./endpoints/feeds.ts";
import { LOGIN_PART } from "./endpoints/login.ts";
import { OSV_PART } from "./endpoints/osv.ts";
import { REGISTRY_PART } from "./endpoints/registry.ts";
import { SCIM_PART } from "./endpoints/scim.ts";
import { SYSTEM_PART } from "./endpoints/system.ts";
import { ERROR_EXAMPLES, withExamples } from "./examples.ts";
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

/** The methods as a server with all features has them. */
const DRY_RUNS = dryRunsOf(SERVICES);
const METHODS = SERVICES.flatMap(({ methods }) => methods).map(
  (desc): Method => ({
    desc,
    served: true,
    isPublic: accessOf(desc)?.kind === "anyone",
    scope: guardOf(desc).scope,
    takesDocuments: false,
    canBeTried: DRY_RUNS.methods.has(desc),
  }),
);

const PARTS: readonly ApiPart[] = [
  LOGIN_PART,
  REGISTRY_PART,
  DISTRIBUTION_PART,
  SCIM_PART,
  FEEDS_PART,
  OSV_PART,
  SYSTEM_PART,
];

/** The document of all methods that have a route, and of all endpoints beside them. */
export function openApiDocument(): Schema {
  const schemas = new Schemas();
  const paths = new Map<string, PathItem>();
  const tags = new Map<string, string>();
  const add = (path: string, item: PathItem) => paths.set(path, { ...paths.get(path), ...item });
  for (const described of describedRoutes(routesOf(METHODS))) {
    const { route, path } = described;
    const { desc } = route.method;
    tags.set(tagOf(desc), textOfService(desc.parent));
    add(path, { [route.httpMethod.toLowerCase()]: operationOf(described, schemas) });
  }
  for (const part of PARTS) {
    for (const { name, description } of part.tags) tags.set(name, description);
    for (const [path, item] of Object.entries(part.paths)) add(path, item);
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
    servers: [{ url: "/", description: "This installation" }],
    tags: [...tags].map(([name, description]) => ({ name, description })),
    paths: withExamples(Object.fromEntries([...paths].sort(([a], [b]) => (a < b ? -1 : 1)))),
    components: {
      schemas: {
        ...union(schemas.collected(), ERROR_SCHEMAS, ...PARTS.map((part) => part.schemas ?? {})),
      },
      parameters: {
        ...CREATE_PARAMETERS,
        ...DRY_RUN_PARAMETER,
        ...PREFER_PARAMETER,
      },
      responses: ERROR_RESPONSES,
      examples: Object.fromEntries(
        Object.entries(ERROR_EXAMPLES).map(([reason, value]) => [reason, { value }]),
      ),
      securitySchemes: SECURITY_SCHEMES,
    },
  };
}

/** All members. Throws for a name that two of the objects have: one would silently replace the other. */
function union(...objects: readonly Readonly<Record<string, Schema>>[]): Schema {
  const entries = objects.flatMap((one) => Object.entries(one));
  const all = Object.fromEntries(entries);
  const twice = entries.find(([name, schema]) => all[name] !== schema);
  if (twice !== undefined) throw new StepError(`two schemas are called ${twice[0]}`);
  return all;
}
