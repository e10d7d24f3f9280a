import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { before, test } from "node:test";
import { RESOURCES } from "../src/app/resources.ts";
import { Secrets } from "../src/secrets/secrets.ts";
import { openStore } from "../src/store/db/open.ts";
import type { ApiClient } from "./support/client/api-client.ts";
import { rejected } from "./support/client/api-error.ts";
import { rawRows } from "./support/server/direct-store.ts";
import { filesBelow } from "./support/server/files-below.ts";
import { testSettings } from "./support/server/test-settings.ts";
import { onEachStore, roleNamed } from "./support/world/world.ts";

const ISSUER = "https://login.example.com";

onEachStore("the client secret of an identity provider", (world) => {
  let org: string;
  const used: string[] = [];
  before(async () => {
    org = await world.organization();
  });
  const secret = () => {
    const next = world.name(`correct-horse-battery-${world.store}`);
    used.push(next);
    return next;
  };
  const create = async (api: ApiClient, oidc: object) => {
    const name = world.name("idp");
    const whole = { issuer: ISSUER, clientId: "wharf", ...oidc };
    const body = { name, defaultRole: roleNamed("viewer"), oidc: whole };
    return (await api.identityProviders.create(org, body)).uid as string;
  };
  /** The secret that the login code would send to the provider. */
  const kept = async (uid: string) => {
    const settings = await testSettings(world.server.storeFlags);
    const tables = Object.values(RESOURCES).map((resource) => resource.table);
    const store = await openStore(settings, tables, { committed() {} });
    try {
      return await (await Secrets.open(settings, store)).get(store.reader, uid, "client_secret");
    } finally {
      await store.close();
    }
  };

  world.rule("it is stored, and returned to nobody", async (api) => {
    const clientSecret = secret();
    const uid = await create(api, { clientSecret });
    assert.equal(await kept(uid), clientSecret);
    assert.equal((await api.identityProviders.get(uid)).oidc.clientSecret, "");
    const [listed] = (await api.identityProviders.list({ uidp: { ids: [uid] } })).identityProviders;
    assert.equal(listed.oidc.clientSecret, "");
  });

  world.rule("an update that omits it keeps it", async (api) => {
    const clientSecret = secret();
    const uid = await create(api, { clientSecret });
    const { update } = api.identityProviders;
    const whole = {
      name: "x",
      defaultRole: roleNamed("viewer"),
      oidc: { issuer: ISSUER, clientId: "wharf" },
    };
    await update(uid, { name: "renamed" });
    await update(uid, whole, ["*"]);
    await update(uid, whole, ["oidc"]);
    await update(uid, { oidc: { groupsClaim: "roles" } });
    await update(uid, { oidc: { groupsClaim: "groups", clientSecret: "ignored" } }, [
      "oidc.groups_claim",
    ]);
    assert.equal(await kept(uid), clientSecret);
    const next = secret();
    await update(uid, { oidc: { clientSecret: next } });
    assert.equal(await kept(uid), next);
    const last = secret();
    await update(uid, { ...whole, oidc: { ...whole.oidc, clientSecret: last } }, ["*"]);
    assert.equal(await kept(uid), last);
  });

  world.rule("an update with an empty secret clears it, if PKCE is enabled", async (api) => {
    const clientSecret = secret();
    const uid = await create(api, { clientSecret });
    const { update } = api.identityProviders;
    const refusal = await rejected(update(uid, { oidc: {} }, ["oidc.client_secret"]));
    assert.deepEqual(Object.keys(refusal.fields), ["oidc.clientSecret"]);
    assert.equal(await kept(uid), clientSecret);
    await update(uid, { oidc: { pkceEnabled: true } });
    const cleared = await update(uid, { oidc: { pkceEnabled: true } }, ["oidc.client_secret"]);
    assert.equal(cleared.oidc.pkceEnabled, true);
    assert.equal(await kept(uid), undefined);
    const off = await rejected(update(uid, { oidc: {} }, ["oidc.pkce_enabled"]));
    assert.deepEqual(Object.keys(off.fields), ["oidc.clientSecret"]);
    assert.equal((await api.identityProviders.get(uid)).oidc.pkceEnabled, true);
  });

  test("an empty one clears it in a REST body; over gRPC without a mask it is kept", async () => {
    for (const protocol of ["REST", "gRPC"] as const) {
      const api = world.operator(protocol);
      const clientSecret = secret();
      const uid = await create(api, { clientSecret, pkceEnabled: true });
      await api.identityProviders.update(uid, { oidc: { clientSecret: "", clientId: "other" } });
      assert.equal(await kept(uid), protocol === "REST" ? undefined : clientSecret);
    }
  });

  world.rule("it is not sent to another issuer", async (api) => {
    const clientSecret = secret();
    const uid = await create(api, { clientSecret });
    const { update } = api.identityProviders;
    const elsewhere = { issuer: "https://other.example.com" };
    const refusal = await rejected(update(uid, { oidc: elsewhere }));
    assert.deepEqual(Object.keys(refusal.fields), ["oidc.clientSecret"]);
    assert.equal((await api.identityProviders.get(uid)).oidc.issuer, ISSUER);
    const next = secret();
    await update(uid, { oidc: { ...elsewhere, clientSecret: next } });
    assert.equal(await kept(uid), next);
    const mask = ["oidc.issuer", "oidc.client_secret", "oidc.pkce_enabled"];
    await update(uid, { oidc: { issuer: ISSUER, pkceEnabled: true } }, mask);
    assert.equal(await kept(uid), undefined);
  });

  test("it is in no table, file or log line", async () => {
    assert.ok(used.length > 8);
    const texts = await Promise.all(
      [
        "SELECT body AS text FROM events",
        "SELECT json AS text FROM identity_providers",
        "SELECT detail || user_agent || resource AS text FROM audit",
        "SELECT value AS text FROM installation",
      ].map((sql) => rawRows<{ text: string }>(world.server, sql)),
    );
    const blobs = await Promise.all(
      ["SELECT data AS bytes FROM identity_providers", "SELECT sealed AS bytes FROM secrets"].map(
        (sql) => rawRows<{ bytes: Uint8Array }>(world.server, sql),
      ),
    );
    assert.ok(texts.flat().length > 10 && blobs.flat().length > 5, "there is something to look at");
    const files = filesBelow(world.server.data).map((file) => readFileSync(file));
    const everything = Buffer.concat([
      ...texts.flat().map(({ text }) => Buffer.from(text)),
      ...blobs.flat().map(({ bytes }) => Buffer.from(bytes)),
      ...files,
      Buffer.from(world.server.log),
    ]);
    for (const one of used) assert.equal(everything.indexOf(one), -1, one);
  });
});
