import { createHash } from "node:crypto";
import type { HttpEndpoint } from "../endpoint.ts";
import { uncompressedEtag } from "../http/reply.ts";
import type { Route } from "./route.ts";

type Operation = Readonly<Record<string, unknown>>;
type Operations = Readonly<Record<string, Operation>>;

/** The members of the OpenAPI document that depend on the installation. */
export interface ApiDocument {
  readonly paths: Readonly<Record<string, Operations>>;
  readonly [name: string]: unknown;
}

/** The document as it is sent. */
interface Rendered {
  readonly body: string;
  readonly etag: string;
}

/**
 * Serves the OpenAPI document at /openapi.json. `npm run generate` writes it; it is loaded on first use, since few servers
 * are ever asked for it. `servers` returns the addresses at which clients reach this API.
 */
export function openApiEndpoint(
  routes: readonly Route[],
  endpoints: readonly HttpEndpoint[],
  servers: () => readonly string[] = () => ["/"],
): HttpEndpoint {
  let rendered: Promise<Rendered> | undefined;
  const self: HttpEndpoint = {
    method: "GET",
    path: "/openapi.json",
    async handle({ headers }) {
      rendered ??= render(routes, [...endpoints, self], servers());
      const { body, etag } = await rendered;
      const common = { etag, "cache-control": "no-cache" };
      const etags = headers["if-none-match"]?.split(",").map((tag) => uncompressedEtag(tag.trim()));
      if (etags?.includes(etag)) return { status: 304, headers: common, body: "" };
      return { status: 200, headers: { ...common, "content-type": "application/json" }, body };
    },
  };
  return self;
}

async function render(
  routes: readonly Route[],
  endpoints: readonly HttpEndpoint[],
  servers: readonly string[],
): Promise<Rendered> {
  const module = await import("@wharf/contract/openapi.json", { with: { type: "json" } });
  const document = module.default as ApiDocument;
  const body = JSON.stringify({
    ...document,
    servers: servers.map((url) => ({ url, description: "This installation" })),
    paths: servedPaths(document.paths, routes, endpoints),
  });
  const hash = createHash("sha256").update(body).digest("base64url");
  return { body, etag: `"${hash}"` };
}

/** The operations that this server answers, marked if they are deprecated: settings decide both. */
function servedPaths(
  paths: ApiDocument["paths"],
  routes: readonly Route[],
  endpoints: readonly HttpEndpoint[],
): ApiDocument["paths"] {
  const byShape = new Map<string, Route>();
  for (const route of routes)
    if (route.method.served) byShape.set(shapeOf(route.httpMethod, route.template), route);
  const served = (verb: string, path: string, operation: Operation): Operation | undefined => {
    const method = verb.toUpperCase();
    const route =
      byShape.get(shapeOf(method, path)) ??
      // A create without a parent has a path of its own, since no variable of OpenAPI may be empty.
      (method === "POST" ? byShape.get(shapeOf(method, `${path}/{}`)) : undefined);
    if (route?.method.responseHeaders?.deprecation !== undefined)
      return { ...operation, deprecated: true };
    const isServed = route !== undefined || endpoints.some((one) => handles(one, method, path));
    return isServed ? operation : undefined;
  };
  const items = Object.entries(paths).map(([path, item]): [string, Operations] => {
    const operations = Object.entries(item).flatMap(([verb, one]): [string, Operation][] => {
      const operation = served(verb, path, one);
      return operation === undefined ? [] : [[verb, operation]];
    });
    return [path, Object.fromEntries(operations)];
  });
  return Object.fromEntries(items.filter(([, item]) => Object.keys(item).length > 0));
}

/** A path template without the names of its variables, which routes and the document choose differently. */
function shapeOf(method: string, template: string): string {
  return `${method} ${template.replace(/\{[^}]*\}/g, "{}")}`;
}

/** Whether an endpoint handles a path template. */
function handles(endpoint: HttpEndpoint, method: string, path: string): boolean {
  if (endpoint.method !== method) return false;
  return endpoint.prefix ? path.startsWith(endpoint.path) : path === endpoint.path;
}
