import assert from "node:assert/strict";
import { before } from "node:test";
import type { ApiClient } from "./support/client/api-client.ts";
import { rejected } from "./support/client/api-error.ts";
import { rawRows } from "./support/server/direct-store.ts";
import { onEachStore, roleNamed } from "./support/world/world.ts";

const OIDC = { issuer: "https://login.example.com", clientId: "wharf", pkceEnabled: true };
const DAY_MS = 86_400_000;

onEachStore("SCIM tokens", (world) => {
  let org: string;
  before(async () => {
    org = await world.organization();
  });
  const provider = async (group = org): Promise<string> => {
    const body = { name: world.name("idp"), defaultRole: roleNamed("viewer"), oidc: OIDC };
    return (await world.operator().identityProviders.create(group, body)).uid;
  };
  const status = async (api: ApiClient, uid: string) => (await api.identityProviders.get(uid)).scim;
  const inDays = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString();
  const daysUntil = (time: string) => Math.round((Date.parse(time) - Date.now()) / DAY_MS);

  world.rule("the first is generated once and shown once", async (api) => {
    const uid = await provider();
    const { token, ...made } = await api.identityProviders.generateScimToken({
      identityProviderUid: uid,
    });
    assert.match(token, /^cgscim_[0-9a-f]{64}$/);
    assert.equal(made.identityProviderUid, uid);
    assert.equal(made.endpointUrl, `${world.server.url}/scim/v2/${uid}`);
    assert.equal(daysUntil(made.expireTime), 365);
    assert.deepEqual(await status(api, uid), {
      enabled: false,
      endpointUrl: made.endpointUrl,
      tokenExpireTime: made.expireTime,
      credentialState: "CREDENTIAL_STATE_LIVE",
      etag: made.etag,
    });
    const refusal = await rejected(
      api.identityProviders.generateScimToken({ identityProviderUid: uid }),
    );
    assert.deepEqual([refusal.code, refusal.violations], [9, ["SCIM_TOKEN_EXISTS"]]);
    const [event] = await rawRows<{ type: string; body: string; group_uid: string }>(
      world.server,
      `SELECT type, body, group_uid FROM events WHERE subject = '${uid}' AND type LIKE '%scim%'`,
    );
    assert.equal(event?.type, "iam.identity_providers.scim_token.generated.v1");
    assert.equal(event?.group_uid, org);
    assert.deepEqual(JSON.parse(event?.body ?? ""), { token: "", ...made });
    const kept = await rawRows<object>(world.server, "SELECT * FROM scim_credentials");
    const audited = await rawRows<object>(world.server, "SELECT * FROM audit");
    const hex = token.slice("cgscim_".length);
    assert.ok(!JSON.stringify([kept, audited]).includes(hex));
    assert.ok(!world.server.log.includes(hex));
  });

  world.rule("its lifetime is as requested, at most two years, or unlimited", async (api) => {
    const uid = await provider();
    const generate = (request: object) =>
      api.identityProviders.generateScimToken({ identityProviderUid: uid, ...request });
    for (const request of [
      { expireTime: inDays(-1) },
      { expireTime: inDays(733) },
      { expireTime: inDays(10), neverExpires: true },
    ]) {
      const refusal = await rejected(generate(request));
      assert.deepEqual([refusal.code, Object.keys(refusal.fields)], [3, ["expireTime"]]);
    }
    assert.equal((await status(api, uid)).credentialState, "CREDENTIAL_STATE_NOT_ISSUED");
    const expireTime = inDays(730);
    assert.equal((await generate({ expireTime })).expireTime, expireTime);
    await api.identityProviders.revokeScimToken({ identityProviderUid: uid });
    const forever = await generate({ neverExpires: true });
    assert.equal("expireTime" in forever, false);
    assert.equal("tokenExpireTime" in (await status(api, uid)), false);
  });

  world.rule("it is regenerated with an overlap, given the current etag", async (api) => {
    const uid = await provider();
    const regenerate = (request: object) =>
      api.identityProviders.regenerateScimToken({ identityProviderUid: uid, ...request });
    const never = await rejected(regenerate({ etag: "v0" }));
    assert.deepEqual([never.code, never.missing], [5, `ScimToken ${uid}`]);
    const first = await api.identityProviders.generateScimToken({ identityProviderUid: uid });
    assert.deepEqual(Object.keys((await rejected(regenerate({}))).fields), ["etag"]);
    assert.equal((await rejected(regenerate({ etag: "v0" }))).code, 10);
    const { etag } = first;
    for (const overlap of ["86401s", "-1s"]) {
      const refusal = await rejected(regenerate({ etag, overlap }));
      assert.deepEqual(Object.keys(refusal.fields), ["overlap"]);
    }
    const second = await regenerate({ etag });
    assert.notEqual(second.token, first.token);
    assert.equal(second.requestedOverlap, "3600s");
    const overlap = Date.parse(second.previousTokenExpireTime) - Date.now();
    assert.ok(overlap > 3_000_000 && overlap <= 3_600_000);
    const rotating = await status(api, uid);
    assert.equal(rotating.credentialState, "CREDENTIAL_STATE_ROTATING");
    assert.equal(rotating.previousTokenExpireTime, second.previousTokenExpireTime);
    const third = await regenerate({ etag: second.etag, overlap: "0s" });
    assert.equal("previousTokenExpireTime" in third, false);
    assert.equal((await status(api, uid)).credentialState, "CREDENTIAL_STATE_LIVE");
    const types = await rawRows<{ type: string }>(
      world.server,
      `SELECT type FROM events WHERE subject = '${uid}' AND type LIKE '%regenerated%'`,
    );
    assert.equal(types.length, 2);
  });

  world.rule("an overlap does not extend the previous token", async (api) => {
    const uid = await provider();
    const expireTime = new Date(Date.now() + 600_000).toISOString();
    const { etag } = await api.identityProviders.generateScimToken({
      identityProviderUid: uid,
      expireTime,
    });
    const next = await api.identityProviders.regenerateScimToken({
      identityProviderUid: uid,
      etag,
      overlap: "86400s",
    });
    assert.equal(next.previousTokenExpireTime, expireTime);
    assert.equal(next.requestedOverlap, "86400s");
  });

  world.rule(
    "revoking invalidates all tokens immediately and keeps provisioning enabled",
    async (api) => {
      const uid = await provider();
      assert.equal(
        (await rejected(api.identityProviders.revokeScimToken({ identityProviderUid: uid }))).code,
        5,
      );
      const { etag } = await api.identityProviders.generateScimToken({ identityProviderUid: uid });
      const next = await api.identityProviders.regenerateScimToken({
        identityProviderUid: uid,
        etag,
      });
      const revoked = await api.identityProviders.revokeScimToken({ identityProviderUid: uid });
      assert.equal(revoked.enabled, false);
      assert.notEqual(revoked.etag, next.etag);
      const { credentialState, ...rest } = await status(api, uid);
      assert.equal(credentialState, "CREDENTIAL_STATE_REVOKED");
      assert.equal("tokenExpireTime" in rest || "previousTokenExpireTime" in rest, false);
      const again = await api.identityProviders.revokeScimToken({ identityProviderUid: uid });
      assert.equal(again.revokeTime, revoked.revokeTime);
      const fresh = await api.identityProviders.regenerateScimToken({
        identityProviderUid: uid,
        etag: again.etag,
      });
      assert.equal("previousTokenExpireTime" in fresh, false, "a revoked token does not come back");
    },
  );

  world.rule("enabling requires two owners of the organization", async (api) => {
    const home = await world.organization();
    const folder = await world.group(home);
    const uid = await provider(folder);
    const set = (enabled: boolean, etag: string) =>
      api.identityProviders.setScimEnabled({ identityProviderUid: uid, enabled, etag });
    const one = await world.member({ [home]: "owner", [folder]: "owner" });
    await world.bind(home, one.uid, "owner");
    await world.member({ [home]: "limited_owner" });
    await world.member({ [folder]: "owner" });
    const refusal = await rejected(set(true, "v0"));
    assert.deepEqual([refusal.code, refusal.violations], [9, ["TOO_FEW_OWNERS"]]);
    assert.equal((await status(api, uid)).enabled, false);
    const two = await world.member();
    const binding = await world.bind(home, two.uid, "owner");
    assert.equal((await rejected(set(true, "v7"))).code, 10);
    const on = await set(true, "v0");
    assert.deepEqual(on, { identityProviderUid: uid, enabled: true, etag: "v1" });
    assert.equal((await status(api, uid)).enabled, true);
    await api.roleBindings.delete(binding);
    const off = await set(false, "v1");
    assert.deepEqual(off, { identityProviderUid: uid, enabled: false, etag: "v2" });
    assert.equal((await rejected(set(true, "v2"))).code, 9);
  });

  world.rule("it requires the capability to manage it, and an existing provider", async (api) => {
    const uid = await provider();
    const theirs = api.as((await world.member({ [org]: ["identity_providers.list"] })).token);
    const actions = [
      "generateScimToken",
      "regenerateScimToken",
      "revokeScimToken",
      "setScimEnabled",
    ] as const;
    for (const action of actions) {
      const request = { etag: "v0", enabled: true };
      const fitting = /^(generate|revoke)/.test(action) ? {} : request;
      const { code, needs } = await rejected(
        theirs.identityProviders[action]({ identityProviderUid: uid, ...fitting }),
      );
      assert.equal(code, 7);
      assert.match(needs, /identity_providers\.scim\.manage/);
      const nowhere = `${org}/0123456789abcdef`;
      assert.equal(
        (
          await rejected(
            api.identityProviders[action]({ identityProviderUid: nowhere, ...fitting }),
          )
        ).code,
        5,
      );
    }
  });
});
