/** Creates with an idempotency key: executed once, and answered alike each time. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { DescMethod, JsonObject } from "@bufbuild/protobuf";
import { isCreate, SERVICES } from "@wharf/contract";
import { SERVICES_V1 } from "@wharf/contract/v1";
import type { Answer, ApiClient } from "./support/client/api-client.ts";
import { rejected } from "./support/client/api-error.ts";
import { ValidRequests } from "./support/fuzz/boundary-requests.ts";
import { digest } from "./support/registry/oci-image.ts";
import { Retention } from "./support/registry/retention.ts";
import { DirectStore, rawRows } from "./support/server/direct-store.ts";
import { onEachStore, roleNamed, type World } from "./support/world/world.ts";

const INVALID_ARGUMENT = 3;
const PERMISSION_DENIED = 7;
const FAILED_PRECONDITION = 9;

const CREATES = [...SERVICES, ...SERVICES_V1].flatMap(({ methods }) => methods).filter(isCreate);

/** The rows that a create adds besides what it creates. */
async function rowsOf({ server }: World): Promise<Record<string, number>> {
  const [row] = await rawRows<Record<string, number | string>>(
    server,
    `SELECT (SELECT count(*) FROM audit) AS audit, (SELECT count(*) FROM events) AS events,
      (SELECT count(*) FROM groups) AS groups, (SELECT count(*) FROM tag_history) AS tags`,
  );
  return Object.fromEntries(Object.entries(row ?? {}).map(([name, n]) => [name, Number(n)]));
}

/** Sends with a key. Adds whether the response was a replay. */
async function keyed(
  api: ApiClient,
  key: string,
  send: (api: ApiClient) => Promise<Answer>,
): Promise<{ answer: Answer; replayed: boolean }> {
  let mark: string | null = null;
  const answer = await send(
    api.keyed(key, (field) => {
      mark = field("idempotency-replayed");
    }),
  );
  return { answer, replayed: mark === "true" };
}

onEachStore(
  "every create with an idempotency key",
  (world) => {
    let ground: ValidRequests;
    let org: string;
    let retention: Retention;
    before(async () => {
      retention = await Retention.open(world);
      ground = await ValidRequests.prepare(world);
      org = await world.organization();
    });
    after(() => retention.close());

    /** A request that succeeds whatever other tests have created. */
    const requestOf = async (method: DescMethod): Promise<JsonObject> => {
      const request = ground.requestOf(method);
      const name = `${method.parent.name}/${method.name}`;
      const api = world.operator();
      const repo = async () => (await api.repos.create(org, { name: world.name() })).uid;
      if (/AccountAssociation/.test(name)) {
        const group = await world.group(org);
        return { ...request, [method.input.fields[0]?.jsonName as string]: group };
      }
      if (/CreateDeployment/.test(name)) {
        return { ...request, [method.input.fields[0]?.jsonName as string]: await repo() };
      }
      if (/RestoreTag/.test(name)) {
        const restored = await retention.repo();
        await retention.client.image(restored.path, "1.0", "restored");
        await api.tags.delete((await retention.tag(restored, "1.0")).uid);
        return { repoUid: restored.uid, name: "1.0" };
      }
      if (/CreateUpstream|CreateRetentionPolicy/.test(name)) {
        return { ...request, parent: await world.group(org) };
      }
      if (/CreateTag$/.test(name)) {
        const tag = { name: world.name("tag"), digest: digest(1) };
        return { [method.input.fields[0]?.jsonName as string]: await repo(), tag };
      }
      if (/Subscription/.test(name)) {
        const [parent] = method.input.fields;
        return { [parent?.jsonName as string]: org, subscription: { sink: "https://sink.test/" } };
      }
      if (/GenerateScimToken/.test(name)) {
        const oidc = { issuer: "https://login.example.com", clientId: "wharf", pkceEnabled: true };
        const provider = { name: world.name(), defaultRole: roleNamed("viewer"), oidc };
        const { uid } = await api.identityProviders.create(org, provider);
        return { [method.input.fields[0]?.jsonName as string]: uid };
      }
      if (/ImportAdvisories/.test(name)) {
        const advisories = [
          { advisoryId: "CGA-2222-2222-2222", artifactName: "a", artifactType: "apk" },
        ];
        return { parent: org, documents: [{ name: "d", advisories }] } as JsonObject;
      }
      return request;
    };

    test("covers all creates of both versions", () => {
      assert.ok(CREATES.length >= 31, `${CREATES.length}`);
    });

    for (const method of CREATES) {
      const name = `${method.parent.typeName}/${method.name}`;
      world.rule(`${name} is executed once`, async (api) => {
        const request = await requestOf(method);
        const send = (as: ApiClient) => as.call(method.parent, method.name, request);
        const before = await rowsOf(world);
        const first = await keyed(api, name, send);
        const after = await rowsOf(world);
        assert.notDeepEqual(after, before);
        const second = await keyed(api, name, send);
        assert.deepEqual(second, { answer: first.answer, replayed: true });
        assert.equal(first.replayed, false);
        assert.deepEqual(await rowsOf(world), after, "nothing was written again");
      });
    }
  },
  { registry: true, flags: ["--exposure-layers=off"] },
);

onEachStore("idempotency keys", (world) => {
  const groupsOf = async (parent: string) =>
    (await world.operator().groups.list({ uidp: { childrenOf: parent } })).groups.length;

  world.rule("the same key with another request is an error, and creates nothing", async (api) => {
    const org = await world.organization();
    const key = world.name("key");
    await api.keyed(key).groups.create(org, { name: "one" });
    const error = await rejected(api.keyed(key).groups.create(org, { name: "two" }));
    assert.equal(error.code, FAILED_PRECONDITION);
    assert.match(JSON.stringify(error.details), /"type":"IDEMPOTENCY_KEY_REUSED"/);
    assert.equal(await groupsOf(org), 1);
  });

  world.rule("keys of other callers and of other methods are independent", async (api) => {
    const org = await world.organization();
    const key = world.name("key");
    const [one, two] = [
      await world.member({ [org]: "owner" }),
      await world.member({ [org]: "owner" }),
    ];
    const group = { name: "shared" };
    const uids = new Set<string>();
    for (const { token } of [one, two]) {
      uids.add((await api.as(token).keyed(key).groups.create(org, group)).uid);
      uids.add((await api.as(token).v1.keyed(key).groups.create(org, group)).id);
    }
    assert.equal(uids.size, 4);
    assert.ok((await api.as(one.token).keyed(key).roles.create(org, newRole(world))).uid);
    assert.equal(await groupsOf(org), 4);
  });

  world.rule("a key stands for the same request over both protocols", async (api) => {
    const org = await world.organization();
    const key = world.name("key");
    const { uid } = await api
      .over({ protocol: "REST" })
      .keyed(key)
      .groups.create(org, { name: "x" });
    const again = api.over({ protocol: "gRPC" }).keyed(`"${key}"`);
    assert.equal((await again.groups.create(org, { name: "x" })).uid, uid);
  });

  world.rule("concurrent requests with one key create one resource", async (api) => {
    const org = await world.organization();
    const key = world.name("key");
    const made = await Promise.all(
      Array.from({ length: 12 }, () => api.keyed(key).groups.create(org, { name: "once" })),
    );
    assert.equal(new Set(made.map(({ uid }) => uid)).size, 1);
    assert.equal(await groupsOf(org), 1);
  });

  world.rule("failed requests are not remembered", async (api) => {
    const org = await world.organization();
    const { token, uid } = await world.member({ [org]: "viewer" });
    const mine = api.as(token).keyed(world.name("key"));
    const create = () => mine.groups.create(org, { name: "later" });
    assert.equal((await rejected(create())).code, PERMISSION_DENIED);
    await world.bind(org, uid, "owner");
    assert.ok((await create()).uid);
    assert.equal(await groupsOf(org), 1);
  });

  world.rule(
    "a response with a secret is repeated, and is not readable in the store",
    async (api) => {
      const org = await world.organization();
      const invite = { roleUid: roleNamed("viewer"), ttl: "3600s" };
      const mine = api.keyed(world.name("key"));
      const first = await mine.groupInvites.create(org, invite);
      assert.ok(first.code.length > 20);
      assert.deepEqual(await mine.groupInvites.create(org, invite), first);
      const sql = "SELECT id, request, response FROM idempotency_keys";
      const stored = JSON.stringify(await rawRows(world.server, sql));
      for (const spelled of [first.code, Buffer.from(first.code).toString("base64").slice(0, -4)]) {
        assert.ok(!stored.includes(spelled));
      }
    },
  );

  world.rule("a caller who has lost access gets no replay", async (api) => {
    const org = await world.organization();
    const { token, uid } = await world.member();
    const binding = await world.bind(org, uid, "owner");
    const mine = api.as(token).keyed(world.name("key"));
    const sends = [
      () => mine.groups.create(org, { name: "below" }),
      () => mine.v1.groups.create(org, { name: "below v1" }),
      () => mine.groupInvites.create(org, { roleUid: roleNamed("owner"), ttl: "3600s" }),
    ];
    for (const send of sends) await send();
    await api.roleBindings.delete(binding);
    for (const send of sends) assert.equal((await rejected(send())).code, PERMISSION_DENIED);
    // May invite, but no longer owners.
    await world.bind(org, uid, ["group_invites.create", "role_bindings.create", "groups.list"]);
    const [, , invite] = sends;
    assert.equal((await rejected(invite?.() as Promise<unknown>)).code, PERMISSION_DENIED);
    await world.bind(org, uid, "owner");
    for (const send of sends) await send();
    assert.equal(await groupsOf(org), 2);
  });

  world.rule("a replay ignores quotas that the first request used up", async (api) => {
    const org = await world.organization();
    await api.groups.update(org, { resourceLimits: { repositories: 1 } });
    const mine = api.keyed(world.name("key"));
    const { uid } = await mine.repos.create(org, { name: "only" });
    assert.equal((await mine.repos.create(org, { name: "only" })).uid, uid);
    assert.equal(
      (await rejected(api.repos.create(org, { name: "another" }))).code,
      FAILED_PRECONDITION,
    );
  });

  world.rule("a repo of version 1 is replayed to callers who may not update it", async (api) => {
    const org = await world.organization();
    const { token } = await world.member({ [org]: ["repo.create", "repo.list"] });
    const mine = api.as(token).v1.keyed(world.name("key"));
    const { id } = await mine.repos.create(org, { name: "mine" });
    assert.equal((await mine.repos.create(org, { name: "mine" })).id, id);
  });

  world.rule("an expired key is forgotten", async (api) => {
    const org = await world.organization();
    const mine = api.keyed(world.name("key"));
    const first = await mine.groups.create(org, { name: "again" });
    const direct = await DirectStore.open(world.server);
    await direct.store.write((tx) => tx.run("UPDATE idempotency_keys SET expires = ?", Date.now()));
    await direct.close();
    const second = await mine.groups.create(org, { name: "again" });
    assert.notEqual(second.uid, first.uid);
    assert.equal((await mine.groups.create(org, { name: "again" })).uid, second.uid);
    assert.equal(await groupsOf(org), 2);
  });

  world.rule(
    "a response sealed with a rotated secret is an error, not a second create",
    async (api) => {
      const org = await world.organization();
      const mine = api.keyed(world.name("key"));
      await mine.groups.create(org, { name: "sealed" });
      const direct = await DirectStore.open(world.server);
      await direct.store.write((tx) => tx.run("UPDATE idempotency_keys SET response = 'AAAA'"));
      await direct.close();
      const error = await rejected(mine.groups.create(org, { name: "sealed" }));
      assert.equal(error.code, FAILED_PRECONDITION);
      assert.match(JSON.stringify(error.details), /IDEMPOTENCY_KEY_RESPONSE_LOST/);
      assert.equal(await groupsOf(org), 1);
    },
  );

  world.rule("a response in the row of another key is not that key's", async (api) => {
    const org = await world.organization();
    const names = ["one", "two"];
    const keys = names.map((name) => world.name(name));
    const createAll = () =>
      Promise.allSettled(
        names.map((name, at) => api.keyed(keys[at] ?? "").groups.create(org, { name })),
      );
    const direct = await DirectStore.open(world.server);
    await direct.store.write((tx) => tx.run("DELETE FROM idempotency_keys"));
    const created = await createAll();
    await direct.store.write((tx) =>
      tx.run(`UPDATE idempotency_keys SET response = (SELECT response FROM idempotency_keys
        WHERE id = (SELECT max(id) FROM idempotency_keys))`),
    );
    await direct.close();
    const repeated = await createAll();
    const [lost = -1, ...more] = [0, 1].filter((at) => repeated[at]?.status === "rejected");
    assert.deepEqual(more, []);
    assert.match(JSON.stringify(repeated[lost]), /IDEMPOTENCY_KEY_RESPONSE_LOST/);
    assert.deepEqual(repeated[1 - lost], created[1 - lost]);
  });

  world.rule("invalid keys are rejected, except by methods that create nothing", async (api) => {
    const org = await world.organization();
    for (const key of ["x".repeat(256), '"open', '""', "a b", '"a b"']) {
      const error = await rejected(api.keyed(key).groups.create(org, { name: "x" }));
      assert.equal(error.code, INVALID_ARGUMENT, key);
      assert.deepEqual(Object.keys(error.fields), ["idempotency-key"]);
      assert.equal((await api.keyed(key).groups.get(org)).uid, org);
    }
    assert.equal(await groupsOf(org), 0);
    for (const key of ["x".repeat(255), "!", '"\\"quoted\\""']) {
      assert.ok((await api.keyed(key).groups.create(org, { name: "x" })).uid);
    }
  });

  test("REST takes the key as parameter, too", async () => {
    const org = await world.organization();
    const { http } = world;
    const path = `/iam/v2beta1/groups/${org}`;
    const v1 = `/iam/v1/identities/${org}`;
    const first = await http.post(`${path}?request_id=a%2Bb`, { name: "x" });
    const second = await http.post(`${path}?requestId=a%2Bb`, { name: "x" });
    assert.deepEqual(second.body, first.body);
    assert.deepEqual(
      [first, second].map(({ headers }) => headers.get("idempotency-replayed")),
      [null, "true"],
    );
    const claims = { issuer: "https://issuer.example.com", subject: "s" };
    const identity = { identity: { name: "x", claimMatch: claims } };
    const made = await http.post(`${v1}?request_id=c`, identity.identity);
    assert.equal(made.status, 200, JSON.stringify(made.body));
    assert.deepEqual((await http.post(`${v1}?request_id=c`, identity.identity)).body, made.body);
    for (const bad of ["request_id=", "request_id=a&request_id=b"]) {
      const { status, body } = await http.post(`${path}?${bad}`, { name: "x" });
      assert.deepEqual([status, body.details[1].fieldViolations[0].field], [400, "request_id"]);
    }
    assert.equal(await groupsOf(org), 1);
  });
});

function newRole(world: World): object {
  return { name: world.name("role"), capabilities: ["CAP_IAM_GROUPS_LIST"] };
}
