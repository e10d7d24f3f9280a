import assert from "node:assert/strict";
import type { DescMethod, DescService } from "@bufbuild/protobuf";
import { httpRulesOf, serviceNames } from "@wharf/contract";
import type { HttpRequest } from "./api-error.ts";
import type { OwnName, PublicName } from "./grpc-v1.ts";
import { queryOf } from "./over-rest.ts";
import { type Caller, callV1 } from "./over-v1.ts";

/**
 * Calls any method of version 1: over gRPC under its service's public name, or its own, over REST by
 * the route that the contract gives it. Rejects with a Refusal.
 *
 * @example await callByContract(api, GroupInvites, "Create", { group, role, ttl: "3600s" });
 */
export function callByContract(
  caller: Caller,
  service: DescService,
  name: string,
  request: Readonly<Record<string, unknown>>,
  known: "publicly" | "by us" = "publicly",
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
): Promise<any> {
  const method = service.methods.find((one) => one.name === name);
  assert.ok(method, `${service} has no ${name}`);
  const [ownName, publicName] = serviceNames(service);
  return callV1(caller, {
    service: (known === "publicly" ? publicName : ownName) as PublicName | OwnName,
    method: name,
    request,
    http: httpOf(method, request),
  });
}

function httpOf(method: DescMethod, request: Readonly<Record<string, unknown>>): HttpRequest {
  const [rule] = httpRulesOf(method);
  assert.ok(rule, `${method} has no route`);
  const rest = { ...request };
  const path = rule.path.replaceAll(/\{(\w+)(?:=\*\*?)?\}/g, (_, name: string) => {
    const key = jsonName(method, name);
    delete rest[key];
    return String(request[key] ?? "");
  });
  if (rule.body === "*") return { method: rule.verb, path, body: rest };
  if (rule.body !== "") {
    return { method: rule.verb, path, body: request[jsonName(method, rule.body)] ?? {} };
  }
  return { method: rule.verb, path: `${path}?${queryOf(rest)}` };
}

function jsonName({ input }: DescMethod, name: string): string {
  const field = input.fields.find((one) => one.name === name);
  assert.ok(field, `${input} has no ${name}`);
  return field.jsonName;
}
