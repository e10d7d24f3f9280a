import assert from "node:assert/strict";
import { test } from "node:test";
import { create } from "@bufbuild/protobuf";
import { IdentityProvidersService, ListIdentityProvidersResponseSchema } from "@wharf/contract";
import { identityProvidersV1 } from "@wharf/contract/v1";
import { notFound, permissionDenied } from "../../lib/errors.ts";
import type { Call } from "../../rpc/call.ts";
import type { Invoke } from "../adapter.ts";
import { identityProviderMethods } from "./identity-providers.ts";

const { IdentityProviders, IdentityProviderFilterSchema } = identityProvidersV1;

/** Lists a provider by id, where the Get that follows the version 2 list fails with this error. */
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

test("a provider deleted during its listing gives an empty list", async () => {
  assert.equal(await listWhen(notFound("IdentityProvider", "x")), '{"items":[]}');
});

test("any other error is returned", async () => {
  const failure = permissionDenied(["identity_providers.list"], "x");
  await assert.rejects(listWhen(failure), failure);
});
