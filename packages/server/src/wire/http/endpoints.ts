import type { HttpEndpoint } from "../endpoint.ts";

/** The endpoints of one path, by HTTP method. */
export type ByMethod = ReadonlyMap<string, HttpEndpoint>;

/**
 * Finds endpoints by path: exact matches first, then the longest prefix. The constructor throws if a prefix would
 * shadow a route of the contract.
 */
export class Endpoints {
  readonly #exact = new Map<string, Map<string, HttpEndpoint>>();
  readonly #prefixes: (readonly [prefix: string, endpoints: Map<string, HttpEndpoint>])[];
  /** Most paths of methods are longer than any exact path, and need no lookup. */
  readonly #longestExact: number;

  constructor(endpoints: readonly HttpEndpoint[], templates: readonly string[]) {
    const prefixes = new Map<string, Map<string, HttpEndpoint>>();
    for (const endpoint of endpoints) {
      const { path, prefix = false } = endpoint;
      add(prefix ? prefixes : this.#exact, endpoint);
      const shadowed = prefix && templates.find((template) => overlaps(path, template));
      if (shadowed) throw new Error(`the endpoint ${path} would shadow ${shadowed}`);
    }
    this.#prefixes = [...prefixes].sort(([a], [b]) => b.length - a.length);
    this.#longestExact = Math.max(0, ...[...this.#exact.keys()].map((path) => path.length));
  }

  find(path: string): ByMethod | undefined {
    const exact = path.length <= this.#longestExact ? this.#exact.get(path) : undefined;
    if (exact !== undefined) return exact;
    for (const [prefix, endpoints] of this.#prefixes) if (path.startsWith(prefix)) return endpoints;
    return undefined;
  }
}

function add(paths: Map<string, Map<string, HttpEndpoint>>, endpoint: HttpEndpoint): void {
  const { path, method } = endpoint;
  const methods = paths.get(path) ?? new Map<string, HttpEndpoint>();
  if (methods.has(method)) throw new Error(`two endpoints handle ${method} ${path}`);
  paths.set(path, methods.set(method, endpoint));
}

/** Whether a route can match a path that begins with a prefix. */
function overlaps(prefix: string, template: string): boolean {
  return [template, template.replace("/v2beta1/", "/v2/")].some((one) => {
    const variable = one.indexOf("{");
    const literal = variable < 0 ? one : one.slice(0, variable);
    return literal.startsWith(prefix) || (variable >= 0 && prefix.startsWith(literal));
  });
}
