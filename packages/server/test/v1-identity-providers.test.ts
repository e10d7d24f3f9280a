import assert from "node:assert/strict";
import { before, test } from "node:test";
import { identityProvidersV1 } from "@wharf/contract/v1";
import type { ApiClient } from "./support/client/api-client.ts";
import { rejected } from "./support/client/api-error.ts";
import { rawRows } from "./support/server/direct-store.ts";
import { onEachStore, roleNamed } from "./support/world/world.ts";

const OIDC = {
  issuer: "https://login.example.com",
  clientId: "wharf",
  additionalScopes: ["z", "a", "m"],
  groupsClaim: "groups",
  correlationRule: "CORRELATION_RULE_OID_EQUALS_EXTERNAL_ID",
  pkceEnabled: true,
};
const BARE = { issuer: OIDC.issuer, clientId: OIDC.clientId };

onEachStore("v1 identity providers", (world) => {
  let org: string;
  const used: string[] = [];
  const answers: string[] = [];
  before(async () => {
    org = await world.organization();
  });
  const viewer = roleNamed("viewer");
  const providers = async (api: ApiClient, method: string, request: Record<string, unknown>) => {
    const { IdentityProviders } = identityProvidersV1;
    const answer = await api.call(IdentityProviders, method, request);
    answers.push(JSON.stringify(answer));
    return answer;
  };
  const secret = () => {
    const next = world.name(`correct-horse-battery-${world.store}`);
    used.push(next);
    return next;
  };
  const create = (api: ApiClient, oidc: object, name = world.name("idp")) =>
    providers(api, "Create", {
      parentId: org,
      identityProvider: { name, description: "for all", defaultRole: viewer, oidc },
    });
  const put = (api: ApiClient, id: string, oidc?: object) =>
    providers(api, "Update", { id, name: "put", defaultRole: viewer, ...(oidc && { oidc }) });
  const shown = async (api: ApiClient, id: string) =>
    (await providers(api, "List", { id })).items[0];
  /** The sealed client secret in the store. */
  const sealed = async (id: string) => {
    const sql = `SELECT sealed FROM secrets WHERE owner = '${id}'`;
    const [row] = await rawRows<{ sealed: Uint8Array }>(world.server, sql);
    return row && Buffer.from(row.sealed).toString("hex");
  };

  world.rule("a PUT resets omitted fields", async (api) => {
    const made = await create(api, { ...OIDC, clientSecret: secret() });
    assert.deepEqual(made.oidc, { ...OIDC, clientSecret: "" });
    const { id } = made;
    await api.identityProviders.update(id, { name: "patched" });
    const kept = await shown(api, id);
    assert.deepEqual(kept, { ...made, name: "patched" });
    const now = await put(api, id, { ...BARE, pkceEnabled: true });
    assert.deepEqual(now, {
      ...made,
      name: "put",
      description: "",
      oidc: { ...OIDC, additionalScopes: [], groupsClaim: "", clientSecret: "" },
    });
    assert.deepEqual(await shown(api, id), now);
    const { description, oidc } = await api.identityProviders.get(id);
    assert.deepEqual([description, oidc], ["", now.oidc]);
  });

  world.rule("a PUT without a client secret clears it, if PKCE is enabled", async (api) => {
    const { id } = await create(api, { ...BARE, clientSecret: secret() });
    const first = await sealed(id);
    assert.ok(first);
    const refusal = await rejected(put(api, id, BARE));
    assert.deepEqual(Object.keys(refusal.fields), ["oidc.clientSecret"]);
    assert.equal(await sealed(id), first, "nothing changed");
    assert.notEqual((await shown(api, id)).name, "put");
    await put(api, id, { ...BARE, clientSecret: secret() });
    const second = await sealed(id);
    assert.ok(second !== undefined && second !== first);
    await put(api, id, { ...BARE, pkceEnabled: true });
    assert.equal(await sealed(id), undefined);
    await put(api, id, { ...BARE, issuer: "https://other.example.com", clientSecret: secret() });
    assert.ok(await sealed(id));
    await put(api, id, { ...BARE, pkceEnabled: true });
    assert.equal(await sealed(id), undefined, "it does not follow to another issuer");
  });

  world.rule("errors name the v1 fields, and nothing changes", async (api) => {
    const made = await create(api, OIDC);
    const { id } = made;
    const identityProvider = { name: "x", defaultRole: viewer, oidc: OIDC };
    const cases: [method: string, request: Record<string, unknown>, fields: string[]][] = [
      ["Create", { parentId: "x", identityProvider }, ["parentId"]],
      [
        "Create",
        { parentId: org, identityProvider: { ...identityProvider, defaultRole: "" } },
        ["defaultRole"],
      ],
      ["Update", { ...identityProvider, id: "x" }, ["id"]],
      ["Update", { id, name: "x", defaultRole: viewer }, ["oidc"]],
      [
        "Update",
        { id, ...identityProvider, oidc: { ...OIDC, correlationRule: 1 } },
        ["oidc.correlationRule"],
      ],
      ["Delete", { id: "x" }, ["id"]],
      ["GenerateScimToken", { identityProviderId: "x" }, ["identityProviderId"]],
      ["SetScimEnabled", { identityProviderId: id }, ["etag"]],
    ];
    if (api.protocol === "gRPC") {
      const fields = ["identityProvider"];
      cases.push(["Create", { parentId: org }, fields]);
    }
    for (const [method, request, fields] of cases) {
      const refusal = await rejected(providers(api, method, request));
      assert.deepEqual([refusal.code, Object.keys(refusal.fields)], [3, fields], method);
    }
    assert.deepEqual(await shown(api, id), made);
  });

  world.rule("a list includes provisioning only by id; no match is an empty list", async (api) => {
    const name = world.name("idp");
    const made = await create(api, OIDC, name);
    const { scim, ...listed } = made;
    assert.deepEqual([scim.enabled, scim.etag], [false, "v0"]);
    for (const filter of [{ name }, { name, uidp: { childrenOf: org } }]) {
      assert.deepEqual(await providers(api, "List", filter), { items: [listed] });
    }
    for (const filter of [{ id: made.id }, { id: made.id, name }]) {
      assert.deepEqual(await providers(api, "List", filter), { items: [made] });
    }
    for (const filter of [
      { id: made.id, name: "other" },
      { id: made.id, uidp: { inRoot: true } },
      { id: `${org}/${"0".repeat(16)}` },
      { id: "nonsense" },
    ]) {
      assert.deepEqual(await providers(api, "List", filter), { items: [] });
    }
    const stranger = api.as((await world.member()).token);
    assert.deepEqual(await providers(stranger, "List", { id: made.id }), { items: [] });
    assert.deepEqual(await providers(api, "Delete", { id: made.id }), {});
    assert.deepEqual(await providers(api, "List", { id: made.id }), { items: [] });
    assert.equal((await rejected(providers(api, "Delete", { id: made.id }))).code, 5);
  });

  world.rule("SCIM tokens are created, updated and revoked by etag", async (api) => {
    const { id } = await create(api, OIDC);
    const scim = (method: string, more: object = {}) =>
      api.call(identityProvidersV1.IdentityProviders, method, {
        identityProviderId: id,
        ...more,
      });
    const none = await rejected(scim("RegenerateScimToken", { etag: "v0" }));
    assert.equal(none.code, 5);
    const { token, ...made } = await scim("GenerateScimToken", { neverExpires: true });
    used.push(token);
    assert.match(token, /^cgscim_[0-9a-f]{64}$/);
    const endpointUrl = `${world.server.url}/scim/v2/${id}`;
    assert.deepEqual(made, { endpointUrl, identityProviderId: id, etag: "v1" });
    const again = await rejected(scim("GenerateScimToken"));
    assert.deepEqual([again.code, again.violations], [9, ["SCIM_TOKEN_EXISTS"]]);

    for (const [method, more] of [
      ["RegenerateScimToken", {}],
      ["SetScimEnabled", { enabled: false }],
    ] as const) {
      assert.equal((await rejected(scim(method, { ...more, etag: "v0" }))).code, 10, method);
    }
    const next = await scim("RegenerateScimToken", { etag: "v1", overlap: "60s" });
    used.push(next.token);
    assert.deepEqual([next.etag, next.requestedOverlap], ["v2", "60s"]);
    const status = (await shown(api, id)).scim;
    assert.equal(status.credentialState, "CREDENTIAL_STATE_ROTATING");
    assert.equal(status.previousTokenExpireTime, next.previousTokenExpireTime);
    assert.deepEqual((await api.identityProviders.get(id)).scim, status);

    const alone = await rejected(scim("SetScimEnabled", { enabled: true, etag: "v2" }));
    assert.deepEqual([alone.code, alone.violations], [9, ["TOO_FEW_OWNERS"]]);
    const off = await scim("SetScimEnabled", { enabled: false, etag: "v2" });
    assert.deepEqual(off, { identityProviderId: id, enabled: false, etag: "v3" });
    const { revokeTime, ...revoked } = await scim("RevokeScimToken");
    assert.deepEqual(revoked, { identityProviderId: id, enabled: false, etag: "v4" });
    assert.ok(Date.parse(revokeTime) <= Date.now());
    assert.equal((await shown(api, id)).scim.credentialState, "CREDENTIAL_STATE_REVOKED");
  });

  test("secrets are in no response, table or log line", async () => {
    assert.ok(used.length > 5 && answers.length > 15);
    const tables = ["events", "audit", "identity_providers", "secrets", "scim_credentials"];
    const rows = await Promise.all(
      tables.map((table) => rawRows<object>(world.server, `SELECT * FROM ${table}`)),
    );
    const text = (value: unknown) =>
      value instanceof Uint8Array ? Buffer.from(value).toString("latin1") : String(value);
    const stored = rows.flat().flatMap((row) => Object.values(row).map(text));
    const everything = [...answers, ...stored, world.server.log].join("\n");
    for (const one of used) assert.equal(everything.includes(one), false, one);
  });
});
