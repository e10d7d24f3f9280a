import type { HttpEndpoint } from "./endpoint.ts";

/** The endpoints of one path, by HTTP method. */
export type ByMethod = ReadonlyMap<string, HttpEndpoint>;

/**
 * Finds endpoints by path: the one that has exactly this path, else the one with the longest prefix.
 * Refuses to exist when a prefix would stand before a route of the contract.
 */
export class Endpoints {
  readonly #exact = new Map<string, Map<string, HttpEndpoint>>();
  readonly #prefixes: (readonly [prefix: string, endpoints: Map<string, HttpEndpoint>])[];
  /** Paths of methods mostly are longer than any exact one, and then need not be looked up. */
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
  if (methods.has(method)) throw new Error(`two endpoints answer ${method} ${path}`);
  paths.set(path, methods.set(method, endpoint));
}

/** Whether some path that a route answers begins with a prefix. */
function overlaps(prefix: string, template: string): boolean {
  return [template, template.replace("/v2beta1/", "/v2/")].some((one) => {
    const variable = one.indexOf("{");
    const literal = variable < 0 ? one : one.slice(0, variable);
    return literal.startsWith(prefix) || (variable >= 0 && prefix.startsWith(literal));
  });
}
