/** Routes made from the google.api.http options of the methods, once, at start. */
import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { FieldMaskSchema } from "@bufbuild/protobuf/wkt";
import type { HttpBinding } from "@wharf/contract";
import { httpRulesOf } from "@wharf/contract";
import type { Method } from "../../rpc/call.ts";
import type { UnsupportedRoute } from "../unsupported.ts";
import { Router } from "./router.ts";
import { parseTemplate } from "./template.ts";

export interface Route {
  readonly method: Method;
  /** `package.Service/Method`, as logs and metrics name it. */
  readonly name: string;
  readonly httpMethod: string;
  readonly template: string;
  /** For each variable of the template, the fields that lead to it. */
  readonly variables: readonly (readonly DescField[])[];
  readonly body: "none" | "whole" | DescField;
  /** Dotted names of the fields that path and body own; a query cannot set them. */
  readonly bound: ReadonlySet<string>;
  readonly mask: MaskRule | undefined;
}

/** How a PATCH learns which fields to change when its caller does not say. */
export interface MaskRule {
  /** The field of the request that takes the mask. */
  readonly field: DescField;
  /** The field of the request that holds the resource. */
  readonly resource: DescField & { readonly fieldKind: "message" };
}

/**
 * Puts the served and the unsupported routes into a router.
 *
 * @example const router = restRouter(routesOf(methods)); router.find("GET", "/iam/v2beta1/groups");
 */
export function restRouter(
  routes: readonly Route[],
  unsupported: readonly UnsupportedRoute[] = [],
): Router<Route | UnsupportedRoute> {
  const router = new Router<Route | UnsupportedRoute>();
  for (const route of [...routes, ...unsupported]) {
    router.add(route.httpMethod, route.template, route);
  }
  return router;
}

/**
 * All routes, in the order of the contract.
 *
 * @example routesOf(methods).map((route) => route.template)
 */
export function routesOf(methods: Iterable<Method>): Route[] {
  const routes: Route[] = [];
  for (const method of methods) {
    for (const binding of httpRulesOf(method.desc)) routes.push(compile(method, binding));
  }
  return routes;
}

function compile(method: Method, { verb, path: template, body: bodyName }: HttpBinding): Route {
  const input = method.desc.input;
  const paths = parseTemplate(template).segments.flatMap((s) => (typeof s === "object" ? [s] : []));
  const body = bodyOf(input, bodyName);
  const bound = new Set(paths.map((variable) => variable.field));
  if (typeof body === "object") bound.add(body.name);
  return {
    method,
    name: `${method.desc.parent.typeName}/${method.desc.name}`,
    httpMethod: verb,
    template,
    variables: paths.map((variable) => resolve(input, variable.field)),
    body,
    bound,
    mask: verb === "PATCH" ? maskRule(input, body) : undefined,
  };
}

function bodyOf(input: DescMessage, name: string): Route["body"] {
  if (name === "") return "none";
  return name === "*" ? "whole" : (resolve(input, name)[0] as DescField);
}

/** The chain of fields that a dotted path names. */
function resolve(input: DescMessage, path: string): DescField[] {
  let message: DescMessage | undefined = input;
  return path.split(".").map((name) => {
    const field: DescField | undefined = message?.fields.find((f) => f.name === name);
    if (!field) throw new Error(`${input.typeName} has no field ${path}`);
    message = field.fieldKind === "message" ? field.message : undefined;
    return field;
  });
}

function maskRule(input: DescMessage, body: Route["body"]): MaskRule | undefined {
  const field = input.fields.find((f) => f.message?.typeName === FieldMaskSchema.typeName);
  const resource =
    typeof body === "object" ? body : input.fields.find((f) => f !== field && f.message);
  if (!field || resource?.fieldKind !== "message") return undefined;
  return { field, resource };
}
