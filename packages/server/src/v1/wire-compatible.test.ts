import assert from "node:assert/strict";
import { test } from "node:test";
import { create } from "@bufbuild/protobuf";
import {
  AccountAssociation_AzureSchema,
  AccountAssociation_GitHubSchema,
  AccountAssociation_GoogleSchema,
  GroupSchema,
  IdentityProvider_OIDCSchema,
  SetScimEnabledRequestSchema,
} from "@wharf/contract";
import { accountAssociationsV1, groupsV1, identityProvidersV1 } from "@wharf/contract/v1";
import { wireCompatible } from "./wire-compatible.ts";

const { AccountAssociations_GitHubSchema, AccountAssociations_GoogleSchema } =
  accountAssociationsV1;
const { IdentityProvider_OIDCSchema: OidcSchema } = identityProvidersV1;

test("a message is translated with all of its fields", () => {
  const installations = [{ installationId: 9_007_199_254_740_993n, name: "acme" }];
  const github = { appInstallations: { "1234": { installations } } };
  const toV2 = wireCompatible(AccountAssociations_GitHubSchema, AccountAssociation_GitHubSchema);
  assert.deepEqual(
    toV2(create(AccountAssociations_GitHubSchema, github)),
    create(AccountAssociation_GitHubSchema, github),
  );
  const oidc = { issuer: "https://a.b", additionalScopes: ["z", "a"], correlationRule: 2 };
  assert.deepEqual(
    wireCompatible(OidcSchema, IdentityProvider_OIDCSchema)(create(OidcSchema, oidc)),
    create(IdentityProvider_OIDCSchema, oidc),
  );
});

test("unknown fields are not translated", () => {
  const given = create(AccountAssociations_GoogleSchema, { projectId: "p" });
  given.$unknown = [{ no: 99, wireType: 0, data: Uint8Array.of(1) }];
  const toV2 = wireCompatible(AccountAssociations_GoogleSchema, AccountAssociation_GoogleSchema);
  assert.equal(toV2(given).$unknown, undefined);
});

test("messages that differ in a number, a type or a kind are rejected", () => {
  const { GroupSchema: GroupV1Schema } = groupsV1;
  for (const [from, to] of [
    [GroupV1Schema, GroupSchema],
    [AccountAssociations_GitHubSchema, AccountAssociation_GoogleSchema],
    [AccountAssociations_GoogleSchema, AccountAssociation_AzureSchema],
    [AccountAssociations_GoogleSchema, SetScimEnabledRequestSchema],
  ] as const) {
    assert.throws(() => wireCompatible(from, to), /differ$/);
  }
});
