/** Compiles the google.api.http options of methods to routes at startup. */
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
  /** `package.Service/Method`, for logs and metrics. */
  readonly name: string;
  readonly httpMethod: string;
  readonly template: string;
  /** The field path of each variable of the template. */
  readonly variables: readonly (readonly DescField[])[];
  /** The index of the variable that is the scope of the method; -1 if the path does not have it. */
  readonly scopeVariable: number;
  readonly body: "none" | "whole" | DescField;
  /** Dotted names of the fields bound to the path and the body. The query cannot set them. */
  readonly bound: ReadonlySet<string>;
  readonly mask: MaskRule | undefined;
}

/** Rule that derives the field mask of a PATCH if the client sends none. */
export interface MaskRule {
  /** The request field of the mask. */
  readonly field: DescField;
  /** The request field of the resource. */
  readonly resource: DescField & { readonly fieldKind: "message" };
}

/** A router of the served and the unsupported routes. */
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

/** All routes, in the order of the contract. */
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
  const variables = paths.map((variable) => resolve(input, variable.field));
  const scope = method.scope?.path;
  return {
    method,
    name: `${method.desc.parent.typeName}/${method.desc.name}`,
    httpMethod: verb,
    template,
    variables,
    scopeVariable: variables.findIndex((chain) => isSame(chain, scope)),
    body,
    bound,
    mask: verb === "PATCH" ? maskRule(input, body) : undefined,
  };
}

function isSame(chain: readonly DescField[], scope: readonly DescField[] | undefined): boolean {
  return chain.length === scope?.length && chain.every((field, at) => field === scope[at]);
}

function bodyOf(input: DescMessage, name: string): Route["body"] {
  if (name === "") return "none";
  return name === "*" ? "whole" : (resolve(input, name)[0] as DescField);
}

/** The fields along a dotted path. */
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
