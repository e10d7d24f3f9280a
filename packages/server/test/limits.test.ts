import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { ApiClient } from "./support/client/api-client.ts";
import { ApiError, rejected } from "./support/client/api-error.ts";
import { Http } from "./support/client/http.ts";
import { DirectStore } from "./support/server/direct-store.ts";
import { checkRows } from "./support/server/store-consistency.ts";
import { TestServer } from "./support/server/test-server.ts";
import { onEachStore, roleNamed } from "./support/world/world.ts";

const OIDC = { issuer: "https://idp.example.com", clientId: "wharf", pkceEnabled: true };
const PROVIDER = { name: "corp", defaultRole: roleNamed("viewer"), oidc: OIDC };

onEachStore("quotas of groups", (world) => {
  const limited = async (resourceLimits: object) => {
    const uid = await world.organization();
    await world.operator().groups.update(uid, { resourceLimits });
    return uid;
  };
  const repos = async (group: string) => {
    const { repos } = await world.operator().repos.list({ uidp: { descendantsOf: group } });
    return repos.map(({ name }: { name: string }) => name).sort();
  };

  world.rule("the operator sets and reads them, in both versions", async (api) => {
    const uid = await world.organization();
    const set = await api.groups.update(uid, { resourceLimits: { repositories: 3, idps: 0 } });
    assert.deepEqual(set.resourceLimits, { repositories: 3, idps: 0 });
    const rest = new Http(world.server.url, api.token);
    const { items } = (await rest.get(`/iam/v1/groups?id=${uid}`)).body;
    assert.deepEqual(items[0].resourceLimits, { repositories: 3, idps: 0 });
    const kept = await api.groups.update(uid, { description: "more" });
    assert.deepEqual(kept.resourceLimits, { repositories: 3, idps: 0 }, "PATCH keeps them");
    const put = await rest.send("PUT", `/iam/v1/groups/${uid}`, { name: "x" });
    assert.deepEqual(put.body.resourceLimits, {}, "PUT resets them");
    const made = await api.groups.create("", { name: "y", resourceLimits: { clusters: 1 } });
    assert.deepEqual((await api.groups.get(made.uid)).resourceLimits, { clusters: 1 });
  });

  world.rule("subscriptions have a quota, also below the group", async (api) => {
    const uid = await limited({ subscriptions: 1 });
    const below = await world.group(uid);
    const sink = "https://events.example.com";
    const { uid: first } = await api.subscriptions.create(below, { sink });
    const error = await rejected(api.subscriptions.create(uid, { sink }));
    assert.equal(error.code, 9);
    assert.deepEqual(error.violations, ["RESOURCE_LIMIT_EXCEEDED"]);
    await api.subscriptions.delete(first);
    await api.subscriptions.create(uid, { sink });
  });

  // One protocol: it takes a hundred creates.
  test("an organization has a default quota of subscriptions", async () => {
    const api = world.operator();
    const [org, other] = [await world.organization(), await world.organization()];
    const folder = await world.group(org);
    const subscribe = (parent: string, at: number) =>
      api.subscriptions.create(parent, { sink: `https://sink-${at}.example.com` });
    await Promise.all(
      Array.from({ length: 100 }, (_, at) => subscribe(at % 2 === 0 ? org : folder, at)),
    );
    for (const parent of [org, folder]) {
      const error = await rejected(subscribe(parent, 100));
      assert.equal(error.code, 9);
      assert.deepEqual(error.violations, ["RESOURCE_LIMIT_EXCEEDED"]);
    }
    await subscribe(other, 100);
    await world.operator().groups.update(org, { resourceLimits: { subscriptions: 101 } });
    await subscribe(folder, 100);
    assert.equal((await rejected(subscribe(folder, 101))).code, 9);
    await world.operator().groups.update(org, { resourceLimits: {} }, ["resource_limits"]);
    assert.equal((await rejected(subscribe(folder, 101))).code, 9, "the default again");
  });

  world.rule("subscriptions to one host have a quota", async (api) => {
    const [org, other] = [await world.organization(), await world.organization()];
    const folder = await world.group(org);
    const variants = [
      "https://sink.example.com",
      "https://SINK.example.com:8443/a",
      "https://sink.example.com/b?c=d",
    ];
    for (let at = 0; at < 20; at++) {
      const sink = variants[at % 3];
      await api.subscriptions.create(at % 2 === 0 ? org : folder, { sink });
    }
    const [sink] = variants;
    for (const parent of [org, folder]) {
      const error = await rejected(api.subscriptions.create(parent, { sink }));
      assert.equal(error.code, 9);
      assert.deepEqual(error.violations, ["RESOURCE_LIMIT_EXCEEDED"]);
    }
    await api.subscriptions.create(other, { sink });
    const { uid } = await api.subscriptions.create(org, { sink: "https://sink.example.org" });
    assert.equal((await rejected(api.subscriptions.update(uid, { sink }, ["sink"]))).code, 9);
    await api.subscriptions.update(uid, { name: "renamed" }, ["name"]);
    await world.operator().groups.update(folder, { resourceLimits: { subscriptions_per_sink: 0 } });
    await world.operator().groups.update(org, { resourceLimits: { subscriptions_per_sink: 21 } });
    assert.equal((await rejected(api.subscriptions.create(folder, { sink }))).code, 9);
    await api.subscriptions.update(uid, { sink }, ["sink"]);
    assert.equal((await rejected(api.subscriptions.create(org, { sink }))).code, 9);
  });

  world.rule("unknown and negative quotas are rejected", async (api) => {
    const uid = await limited({ clusters: 5 });
    const resourceLimits = { repos: 1, idps: -1, clusters: 0 };
    const update = await rejected(api.groups.update(uid, { resourceLimits }));
    assert.equal(update.code, 3);
    assert.deepEqual(Object.keys(update.fields), ["resourceLimits.repos", "resourceLimits.idps"]);
    const create = await rejected(api.groups.create("", { name: "x", resourceLimits }));
    assert.deepEqual(create.fields, update.fields);
    assert.deepEqual((await api.groups.get(uid)).resourceLimits, { clusters: 5 });
  });

  world.rule(
    "only the operator can change them; sending them back unchanged is allowed",
    async (api) => {
      const uid = await limited({ repositories: 5 });
      const { token } = await world.member({ [uid]: "owner" });
      const owner = api.as(token);
      for (const resourceLimits of [{ repositories: 6 }, { idps: 1, repositories: 5 }]) {
        const refusal = await rejected(owner.groups.update(uid, { resourceLimits }));
        assert.equal(refusal.code, 7);
        const create = await rejected(owner.groups.create(uid, { name: "x", resourceLimits }));
        assert.equal(create.code, 7);
      }
      const cleared = await rejected(owner.groups.update(uid, {}, ["resource_limits"]));
      assert.equal(cleared.code, 7);
      const rest = new Http(world.server.url, token);
      const put = (body: object) => rest.send("PUT", `/iam/v1/groups/${uid}`, body);
      assert.equal((await put({ name: "x", resourceLimits: { repositories: 9 } })).status, 403);
      for (const body of [{ name: "x" }, { name: "x", resourceLimits: { repositories: 5 } }])
        assert.deepEqual((await put(body)).body.resourceLimits, { repositories: 5 });
      const same = await owner.groups.update(uid, {
        resourceLimits: { repositories: 5 },
        name: "y",
      });
      assert.deepEqual(same.resourceLimits, { repositories: 5 });
      assert.deepEqual((await owner.groups.list({ uidp: { childrenOf: uid } })).groups, []);
    },
  );

  world.rule("the repo quota counts a group and its descendants", async (api) => {
    const org = await limited({ repositories: 2 });
    const folder = await world.group(org);
    const deeper = await world.group(folder);
    await api.repos.create(deeper, { name: "one" });
    const { uid } = await api.repos.create(org, { name: "two" });
    for (const place of [org, folder, deeper]) {
      const refusal = await rejected(api.repos.create(place, { name: "three" }));
      assert.equal(refusal.code, 9);
      assert.deepEqual(refusal.violations, ["RESOURCE_LIMIT_EXCEEDED"]);
    }
    assert.deepEqual(await repos(org), ["one", "two"]);
    await api.repos.delete(uid);
    await api.repos.create(folder, { name: "three" });
    assert.deepEqual(await repos(org), ["one", "three"], "what is deleted makes room");
  });

  world.rule("the quotas of all ancestors apply", async (api) => {
    const org = await limited({ repositories: 3 });
    const folder = await world.group(org);
    await api.groups.update(folder, { resourceLimits: { repositories: 1 } });
    await api.repos.create(folder, { name: "one" });
    assert.equal((await rejected(api.repos.create(folder, { name: "two" }))).code, 9);
    await api.repos.create(org, { name: "two" });
    await api.groups.update(folder, { resourceLimits: { repositories: 9 } });
    await api.repos.create(folder, { name: "three" });
    const refusal = await rejected(api.repos.create(folder, { name: "four" }));
    assert.deepEqual(refusal.violations, ["RESOURCE_LIMIT_EXCEEDED"]);
    await api.groups.update(org, { resourceLimits: { repositories: 0 } });
    assert.deepEqual(await repos(org), ["one", "three", "two"], "what is there stays");
    assert.equal((await rejected(api.repos.create(org, { name: "four" }))).code, 9);
    await api.groups.update(org, { resourceLimits: {} }, ["resource_limits"]);
    await api.repos.create(org, { name: "four" });
  });

  world.rule("identity providers and repos have separate quotas", async (api) => {
    const org = await limited({ idps: 1, repositories: 0 });
    await api.identityProviders.create(org, PROVIDER);
    const refusal = await rejected(api.identityProviders.create(await world.group(org), PROVIDER));
    assert.deepEqual(refusal.violations, ["RESOURCE_LIMIT_EXCEEDED"]);
    assert.equal((await rejected(api.repos.create(org, { name: "one" }))).code, 9);
  });

  world.rule("they apply in v1; replacing a repo does not count", async (api) => {
    const parentId = await limited({ repositories: 1, idps: 0 });
    const repo = { name: "one", description: "first" };
    const { id } = await api.v1.registry.createRepo({ parentId, repo });
    for (const preventExisting of [false, true]) {
      const request = { parentId, repo: { name: "two" }, preventExisting };
      const refusal = await rejected(api.v1.registry.createRepo(request));
      assert.deepEqual([refusal.code, refusal.violations], [9, ["RESOURCE_LIMIT_EXCEEDED"]]);
    }
    const again = await api.v1.registry.createRepo({ parentId, repo: { name: "one" } });
    assert.deepEqual([again.id, again.description], [id, ""]);
    assert.deepEqual(await repos(parentId), ["one"]);
    const rest = new Http(world.server.url, api.token);
    const { body } = await rest.post(`/iam/v1/identityProviders/${parentId}`, PROVIDER);
    assert.equal(body.code, 9);
  });

  world.rule("concurrent creates cannot exceed them", async (api) => {
    const org = await limited({ repositories: 5 });
    const names = Array.from({ length: 40 }, (_, at) => `repo-${at}`);
    const codes = await Promise.all(names.map((name) => codeOf(api.repos.create(org, { name }))));
    assert.equal(codes.filter((code) => code === 0).length, 5);
    assert.equal(codes.filter((code) => code === 9).length, 35);
    assert.equal((await repos(org)).length, 5);
  });

  world.rule("concurrent creates through both versions cannot exceed them", async (api) => {
    const org = await limited({ idps: 2, repositories: 2 });
    const folder = await world.group(org);
    const rest = new Http(world.server.url, api.token);
    const post = async (path: string, body: object) => {
      const { status, body: answer } = await rest.post(path, body);
      return status === 200 ? 0 : answer.code;
    };
    const codes = (count: number, make: (at: number) => Promise<number>[]) => {
      return Promise.all(Array.from({ length: count }, (_, at) => make(at)).flat());
    };
    const ofProviders = await codes(6, () => [
      codeOf(api.identityProviders.create(org, PROVIDER)),
      post(`/iam/v1/identityProviders/${folder}`, PROVIDER),
    ]);
    const ofRepos = await codes(6, (at) => [
      codeOf(api.repos.create(folder, { name: `new-${at}` })),
      post(`/registry/v1/repos/${org}`, { name: `old-${at}` }),
    ]);
    for (const all of [ofProviders, ofRepos])
      assert.deepEqual(all.toSorted(), [0, 0, ...Array(10).fill(9)]);
    const uidp = { descendantsOf: org };
    assert.equal((await api.identityProviders.list({ uidp })).totalCount, "2");
    assert.equal((await repos(org)).length, 2);
  });

  after(async () => {
    const direct = await DirectStore.open(world.server);
    await checkRows(direct.store.reader).finally(() => direct.close());
  });
});

describe("quotas of groups on two replicas", () => {
  const flags = ["--base-url", "http://wharf.test"];
  let servers: TestServer[];
  let apis: ApiClient[];
  before(async () => {
    const one = await TestServer.start({ store: "postgres", flags });
    servers = [one, await TestServer.start({ sameStoreAs: one, flags })];
    const token = await one.token();
    apis = servers.map(({ url }) => new ApiClient({ url, token }));
  });
  after(async () => {
    for (const server of servers) assert.equal(await server.stop(), 0);
  });

  test("concurrent creates of the same repo within a quota of one get that repo", async () => {
    const resourceLimits = { repositories: 1 };
    for (let round = 0; round < 5; round++) {
      const { uid } = await (apis[0] as ApiClient).groups.create("", {
        name: "org",
        resourceLimits,
      });
      const repo = { name: "app" };
      const made = await Promise.all(
        Array.from({ length: 12 }, (_, at) => {
          return (apis[at % 2] as ApiClient).v1.registry.createRepo({ parentId: uid, repo });
        }),
      );
      assert.equal(new Set(made.map(({ id }) => id)).size, 1);
    }
  });

  test("concurrent creates on two replicas cannot exceed the quota", async () => {
    const [api] = apis as [ApiClient, ApiClient];
    for (let round = 0; round < 5; round++) {
      const { uid } = await api.groups.create("", {
        name: "org",
        resourceLimits: { repositories: 4 },
      });
      const folders = await Promise.all(
        apis.map((one) => one.groups.create(uid, { name: "folder" })),
      );
      const codes = await Promise.all(
        Array.from({ length: 30 }, (_, at) => {
          const place = folders[at % 3 === 0 ? 0 : 1].uid;
          return codeOf((apis[at % 2] as ApiClient).repos.create(place, { name: `repo-${at}` }));
        }),
      );
      assert.equal(codes.filter((code) => code === 0).length, 4, codes.join());
      const { totalCount } = await api.repos.list({ uidp: { descendantsOf: uid } });
      assert.equal(totalCount, "4");
    }
  });

  test("concurrent creates on two replicas cannot exceed the quota of a host", async () => {
    const { uid } = await (apis[0] as ApiClient).groups.create("", { name: "org" });
    const codes = await Promise.all(
      Array.from({ length: 30 }, (_, at) => {
        const sink = `https://sink.example.com/${at}`;
        return codeOf((apis[at % 2] as ApiClient).subscriptions.create(uid, { sink }));
      }),
    );
    assert.equal(codes.filter((code) => code === 0).length, 20, codes.join());
  });
});

function codeOf(call: Promise<unknown>): Promise<number> {
  return call.then(
    () => 0,
    (error: unknown) => {
      if (error instanceof ApiError) return error.code;
      throw error;
    },
  );
}
