/**
 * Finds the route of a path. Routes are bucketed by their first three segments, which are literal in almost every
 * template. Within a bucket, more specific patterns are tried first.
 */
import type { Variable } from "./template.ts";
import { parseTemplate } from "./template.ts";

export interface Match<Route> {
  readonly route: Route;
  /** Decoded values of the template's variables, in the order of the template. */
  readonly values: readonly string[];
}

interface Pattern<Route> {
  readonly route: Route;
  /** The segments after the prefix of the bucket. */
  readonly tail: readonly (string | Variable)[];
  readonly verb: string;
}

/** The patterns of one prefix by HTTP method. */
type Bucket<Route> = Map<string, Pattern<Route>[]>;

const PREFIX_SEGMENTS = 3;

export class Router<Route> {
  readonly #buckets = new Map<string, Bucket<Route>>();

  add(httpMethod: string, template: string, route: Route): void {
    const { segments, verb } = parseTemplate(template);
    const firstVariable = segments.findIndex((segment) => typeof segment === "object");
    const literals = firstVariable < 0 ? segments.length : firstVariable;
    const depth = Math.min(literals, PREFIX_SEGMENTS);
    const tail = segments.slice(depth);
    // A custom verb directly after the prefix is part of its last segment.
    const own = tail.length === 0 && verb !== "" ? `:${verb}` : "";
    const key = segments.slice(0, depth).join("/") + own;
    const pattern = { route, tail, verb: own === "" ? verb : "" };
    this.#insert(key, httpMethod, pattern);
    // v2 has the same paths as v2beta1.
    if (segments[1] === "v2beta1") {
      this.#insert(key.replace("/v2beta1", "/v2"), httpMethod, pattern);
    }
  }

  /** The route and the values of its variables. Throws URIError on malformed percent-encoding. */
  find(httpMethod: string, path: string): Match<Route> | undefined {
    let end = prefixEnd(path);
    for (;;) {
      const patterns = this.#buckets.get(path.slice(1, end))?.get(httpMethod);
      const match = patterns && firstMatch(patterns, restOf(path, end));
      if (match) return match;
      end = path.lastIndexOf("/", end - 1);
      if (end <= 0) return undefined;
    }
  }

  /** The HTTP methods of a path; empty if no route matches. */
  allowed(path: string): string[] {
    const methods = new Set<string>();
    for (let end = prefixEnd(path); end > 0; end = path.lastIndexOf("/", end - 1)) {
      for (const [method, patterns] of this.#buckets.get(path.slice(1, end)) ?? []) {
        if (firstMatch(patterns, restOf(path, end))) methods.add(method);
      }
    }
    if (methods.has("GET")) methods.add("HEAD");
    return [...methods].sort();
  }

  #insert(key: string, httpMethod: string, pattern: Pattern<Route>): void {
    let bucket = this.#buckets.get(key);
    if (bucket === undefined) {
      bucket = new Map();
      this.#buckets.set(key, bucket);
    }
    const patterns = bucket.get(httpMethod) ?? [];
    if (patterns.some((other) => shapeOf(other) === shapeOf(pattern))) {
      throw new Error(`two methods match ${httpMethod} /${key}/${shapeOf(pattern)}`);
    }
    patterns.push(pattern);
    patterns.sort((a, b) => weight(b) - weight(a));
    bucket.set(httpMethod, patterns);
  }
}

/** The end of the third segment. */
function prefixEnd(path: string): number {
  let at = 0;
  for (let n = 0; n < PREFIX_SEGMENTS; n++) {
    at = path.indexOf("/", at + 1);
    if (at < 0) return path.length;
  }
  return at;
}

/** The path after the prefix, without trailing slashes. An encoded slash is a slash. */
function restOf(path: string, start: number): string {
  let end = path.length;
  while (end > start && path.charCodeAt(end - 1) === 0x2f) end--;
  const rest = path.slice(start + 1, end);
  return rest.includes("%") ? rest.replace(/%2f/gi, "/") : rest;
}

function firstMatch<Route>(
  patterns: readonly Pattern<Route>[],
  rest: string,
): Match<Route> | undefined {
  for (const pattern of patterns) {
    const values = matchTail(pattern, rest);
    if (values) return { route: pattern.route, values };
  }
  return undefined;
}

function matchTail({ tail, verb }: Pattern<unknown>, rest: string): string[] | undefined {
  let text = rest;
  if (verb !== "") {
    if (!rest.endsWith(`:${verb}`)) return undefined;
    text = rest.slice(0, -verb.length - 1);
  }
  if (tail.length === 0) return text === "" ? [] : undefined;
  if (tail.length === 1 && typeof tail[0] === "object" && tail[0].deep) return [decode(text)];
  return matchSegments(tail, text === "" ? [] : text.split("/"));
}

function matchSegments(
  tail: readonly (string | Variable)[],
  segments: readonly string[],
): string[] | undefined {
  const values: string[] = [];
  const spare = segments.length - tail.length;
  let at = 0;
  for (const part of tail) {
    if (typeof part === "object" && part.deep) {
      // ** matches the segments that the others leave, possibly none.
      const end = at + spare + 1;
      if (end < at) return undefined;
      values.push(decode(segments.slice(at, end).join("/")));
      at = end;
      continue;
    }
    const segment = segments[at++];
    if (segment === undefined || segment === "") return undefined;
    if (typeof part === "object") values.push(decode(segment));
    else if (segment !== part) return undefined;
  }
  return at === segments.length ? values : undefined;
}

function decode(text: string): string {
  return text.includes("%") ? decodeURIComponent(text) : text;
}

/** Specificity: custom verbs first, then the number of literal segments; ** last. */
function weight({ tail, verb }: Pattern<unknown>): number {
  let total = verb === "" ? 0 : 1000;
  for (const part of tail) total += typeof part === "string" ? 10 : part.deep ? -1 : 1;
  return total;
}

function shapeOf({ tail, verb }: Pattern<unknown>): string {
  const parts = tail.map((part) => (typeof part === "string" ? part : part.deep ? "**" : "*"));
  return `${parts.join("/")}:${verb}`;
}
