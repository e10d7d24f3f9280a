/** Path templates of OpenAPI, which has one item for all routes that differ only in the names of variables. */
import { accessOf } from "@wharf/contract";
import type { Route } from "../../packages/server/src/wire/rest/route.ts";

/** A route with its template in the document. */
export interface DescribedRoute {
  readonly route: Route;
  readonly path: string;
  /** Names of the variables, in order. */
  readonly names: readonly string[];
  /** Whether the last variable is left out: the route then creates something without a parent. */
  readonly isRoot: boolean;
}

const VARIABLE = /\{[^}]+\}/g;

/** Names that are preferred where routes of the same path call a variable differently. */
const PREFERRED = ["uid", "id"];

/** The routes with the paths of the document, in the order of the contract. */
export function describedRoutes(routes: readonly Route[]): DescribedRoute[] {
  const byShape = Map.groupBy(routes, ({ template }) => template.replace(VARIABLE, "{}"));
  const names = new Map([...byShape].map(([shape, same]) => [shape, namesOf(same)]));
  return routes.flatMap((route) => {
    const chosen = names.get(route.template.replace(VARIABLE, "{}")) ?? [];
    const described = { route, path: named(route.template, chosen), names: chosen, isRoot: false };
    if (!hasOptionalParent(route)) return [described];
    const path = route.template.replace(/\/\{[^}]+\}$/, "");
    return [described, { route, path, names: [], isRoot: true }];
  });
}

/** The name of each variable: `uid` or `id` if a route has it, otherwise the most frequent one. */
function namesOf(routes: readonly Route[]): string[] {
  const [first] = routes;
  return (first?.variables ?? []).map((_, n) => {
    const all = routes.map((route) => route.variables[n]?.at(-1)?.name ?? "");
    const preferred = PREFERRED.find((name) => all.includes(name));
    const count = (name: string) => all.filter((one) => one === name).length;
    return preferred ?? all.toSorted((a, b) => count(b) - count(a))[0] ?? "";
  });
}

function named(template: string, names: readonly string[]): string {
  let n = 0;
  return template.replace(VARIABLE, () => `{${names[n++]}}`);
}

/**
 * Whether the last variable of a create may be empty, which OpenAPI can only express as another path. Where access is
 * checked at the parent, there must be one.
 */
function hasOptionalParent({ httpMethod, template, method }: Route): boolean {
  const isCreate = httpMethod === "POST" && template.endsWith("=**}");
  return isCreate && accessOf(method.desc)?.kind !== "scoped";
}
