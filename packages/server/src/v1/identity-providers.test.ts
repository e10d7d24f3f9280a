import assert from "node:assert/strict";
import { test } from "node:test";
import { create } from "@bufbuild/protobuf";
import { IdentityProvidersService, ListIdentityProvidersResponseSchema } from "@wharf/contract";
import { identityProvidersV1 } from "@wharf/contract/v1";
import { notFound, permissionDenied } from "../lib/errors.ts";
import type { Call } from "../rpc/call.ts";
import type { Invoke } from "./adapter.ts";
import { identityProviderMethods } from "./identity-providers.ts";

const { IdentityProviders, IdentityProviderFilterSchema } = identityProvidersV1;

/** The list by id of a provider that goes away, in this way, once version 2 has listed it. */
async function listWhen(getFails: Error): Promise<string> {
  const uid = `${"a".repeat(40)}/${"b".repeat(16)}`;
  const invoke = (async (_call: Call, method: unknown) => {
    if (method === IdentityProvidersService.method.getIdentityProvider) throw getFails;
    return create(ListIdentityProvidersResponseSchema, { identityProviders: [{ uid }] });
  }) as Invoke;
  const { list } = IdentityProviders.method;
  const [, handler] = identityProviderMethods(invoke).find(([method]) => method === list) ?? [];
  const reply = await handler?.({} as Call, create(IdentityProviderFilterSchema, { id: uid }));
  return reply?.json() ?? "";
}

test("one that is deleted while it is listed is an empty list", async () => {
  assert.equal(await listWhen(notFound("IdentityProvider", "x")), '{"items":[]}');
});

test("any other failure is told", async () => {
  const failure = permissionDenied(["identity_providers.list"], "x");
  await assert.rejects(listWhen(failure), failure);
});
