/** Quotas of bytes and tags, and what callers see of the usage of a group. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { after, before, describe, test } from "node:test";
import type { Logger } from "../src/observe/logger.ts";
import { UsageHistory } from "../src/registry/usage/usage-history.ts";
import { checkContentCounts } from "../src/store/check/content-counts.ts";
import { SQL_FILES } from "../src/store/schema/sql-files.ts";
import { parseStatements } from "../src/store/schema/statements.ts";
import { rejected } from "./support/client/api-error.ts";
import { Random } from "./support/oracle/random.ts";
import { runs } from "./support/oracle/runs.ts";
import { OciClient, sha256 } from "./support/registry/oci-client.ts";
import { DirectStore } from "./support/server/direct-store.ts";
import { scratchFolder } from "./support/server/scratch-folder.ts";
import { TestServer } from "./support/server/test-server.ts";
import { onEachStore, World } from "./support/world/world.ts";

const MB = 1_000_000;
const DAY_MS = 24 * 3_600_000;

/** A blob of so many kilobytes that differs from others by its text. */
const blob = (text: string, kilobytes: number) => Buffer.alloc(kilobytes * 1_000, `${text} `);

const silent = { error() {} } as unknown as Logger;

onEachStore(
  "quotas and usage of the registry",
  (world) => {
    let client: OciClient;
    let authorization: string;
    let direct: DirectStore;
    before(async () => {
      const pusher = await world.registry.holder("pusher", "registry.push");
      authorization = `Bearer ${await world.signer.token(pusher)}`;
      client = new OciClient(world.server.url, authorization);
      direct = await DirectStore.open(world.server);
    });
    after(() => direct.close());

    /** A folder of acme with quotas; its uid and path. */
    const folder = async (resourceLimits: object) => {
      const name = world.name("limited");
      const uid = await world.group(world.registry.organization, name);
      await world.operator().groups.update(uid, { resourceLimits });
      return { uid, name: `acme/${name}` };
    };
    const put = async (repo: string, content: Buffer) => {
      const location = await client.begin(repo);
      return client.send("PUT", `${location}?digest=${sha256(content)}`, { body: content });
    };
    // biome-ignore lint/suspicious/noExplicitAny: answers of the API have every shape.
    const usageOf = (groupUid: string, days = 0): Promise<any> =>
      world.operator().registryUsage.getRegistryUsage({ groupUid, days });

    test("a push beyond the quota of bytes is refused with used, allowed and path", async () => {
      const { uid, name } = await folder({ registry_mb: 1 });
      assert.equal((await put(`${name}/a`, blob("one", 600))).status, 201);
      const { status, code, body } = await put(`${name}/b`, blob("two", 600));
      assert.deepEqual([status, code], [403, "DENIED"]);
      const text = `group "${name}" uses 600 kB of its 1 MB in the registry, and this adds 600 kB`;
      assert.equal(body.errors[0].message, text);
      assert.equal((await usageOf(uid)).bytes, "600000");
      assert.equal((await put(`${name}/b`, blob("two", 400))).status, 201, "up to the last byte");
    });

    test("content that the group has is free, pushed or mounted", async () => {
      const { name } = await folder({ registry_mb: 1 });
      const content = blob("shared", 900);
      assert.equal((await put(`${name}/a`, content)).status, 201);
      assert.equal((await put(`${name}/b`, content)).status, 201);
      const mount = `/v2/${name}/c/blobs/uploads/?mount=${sha256(content)}&from=${name}/a`;
      assert.equal((await client.send("POST", mount)).status, 201);
      // The same in two chunks, whose digest is named last.
      const location = await client.begin(`${name}/d`);
      const patch = { body: content, isChunked: true };
      assert.equal((await client.send("PATCH", location, patch)).status, 202);
      const done = await client.send("PUT", `${location}?digest=${sha256(content)}`);
      assert.equal(done.status, 201);
    });

    test("a mount from elsewhere and a manifest count, too", async () => {
      const { name } = await folder({ registry_mb: 1 });
      const content = blob("mounted", 900);
      assert.equal((await put("acme/source", blob("mounted", 900))).status, 201);
      assert.equal((await put(`${name}/a`, blob("own", 500))).status, 201);
      const mount = `/v2/${name}/a/blobs/uploads/?mount=${sha256(content)}&from=acme/source`;
      const { status, code } = await client.send("POST", mount);
      assert.deepEqual([status, code], [403, "DENIED"]);
      const manifest = await client.manifestOf(`${name}/a`, "x");
      const annotations = { filler: "x".repeat(600_000) };
      const large = await client.putManifest(`${name}/a`, "1", { ...manifest, annotations });
      assert.deepEqual([large.status, large.code], [403, "DENIED"]);
      assert.equal((await client.putManifest(`${name}/a`, "1", manifest)).status, 201);
      assert.equal((await client.get(`/v2/${name}/a/manifests/1`)).status, 200);
    });

    test("the quota of each group above counts", async () => {
      const { uid, name } = await folder({ registry_mb: 1 });
      const below = await world.group(uid, "below");
      await world.operator().groups.update(below, { resourceLimits: { registry_mb: 5 } });
      assert.equal((await put(`${name}/below/a`, blob("deep", 700))).status, 201);
      const { body } = await put(`${name}/below/a`, blob("deeper", 700));
      assert.match(body.errors[0].message, new RegExp(`^group "${name}" uses 700 kB`));
      // Who uses more than a lowered quota can still push what it has.
      await world.operator().groups.update(below, { resourceLimits: { registry_mb: 0 } });
      assert.equal((await put(`${name}/below/b`, blob("deep", 700))).status, 201);
      assert.equal((await put(`${name}/below/b`, Buffer.from("new"))).status, 403);
    });

    test("a body that cannot fit is refused before it is received", async () => {
      const { name } = await folder({ registry_mb: 1 });
      const location = await client.begin(`${name}/a`);
      const headers = { "content-length": 2 * MB, authorization };
      for (const [method, path] of [
        ["PATCH", location],
        ["PUT", `${location}?digest=${sha256("x")}`],
        ["POST", `/v2/${name}/a/blobs/uploads/?digest=${sha256("x")}`],
      ] as const) {
        const status = await announce(client, method, path, headers);
        assert.deepEqual([method, status], [method, 403]);
      }
      const after = await client.send("PUT", `${location}?digest=${sha256("x")}`, { body: "x" });
      assert.equal(after.status, 201);
    });

    test("deleting frees the quota", async () => {
      const { uid, name } = await folder({ registry_mb: 1 });
      const content = blob("deleted", 800);
      for (const repo of ["a", "b"])
        assert.equal((await put(`${name}/${repo}`, content)).status, 201);
      assert.equal((await put(`${name}/a`, blob("other", 800))).status, 403);
      const path = (repo: string) => `/v2/${name}/${repo}/blobs/${sha256(content)}`;
      assert.equal((await client.send("DELETE", path("a"))).status, 202);
      assert.equal((await usageOf(uid)).bytes, "800000", "the other repo has it");
      const { repos } = await world.operator().repos.list({ uidp: { childrenOf: uid }, name: "b" });
      await world.operator().repos.delete(repos[0].uid);
      const { bytes, pushedBytes, contents, largestRepos } = await usageOf(uid);
      assert.deepEqual([bytes, pushedBytes, contents, largestRepos], ["0", "0", "0", []]);
      assert.equal((await put(`${name}/a`, blob("other", 800))).status, 201);
    });

    test("tags have a quota, by push and by API", async () => {
      const { uid, name } = await folder({ tags: 2 });
      const { digest } = await client.image(`${name}/a`, "1", "image");
      await client.image(`${name}/b`, "sha256-00.sig", "another");
      const manifest = await client.manifestOf(`${name}/a`, "third");
      const { status, code, body } = await client.putManifest(`${name}/a`, "2", manifest);
      assert.deepEqual([status, code], [403, "DENIED"]);
      assert.equal(body.errors[0].message, `group "${name}" has reached its quota of 2 tags`);
      assert.equal((await client.putManifest(`${name}/a`, "1", manifest)).status, 201, "moves");
      const { repos } = await world.operator().repos.list({ uidp: { childrenOf: uid }, name: "a" });
      const create = world.operator().tags.create(repos[0].uid, { name: "3", digest });
      assert.deepEqual((await rejected(create)).violations, ["RESOURCE_LIMIT_EXCEEDED"]);
    });

    test("concurrent pushes do not exceed the quota together", async () => {
      const { uid, name } = await folder({ registry_mb: 1 });
      const contents = Array.from({ length: 12 }, (_, at) => blob(`racing ${at}`, 150));
      const pushed = await Promise.all(contents.map((one, at) => put(`${name}/r${at % 3}`, one)));
      const counts = Map.groupBy(pushed, ({ status }) => status);
      assert.deepEqual([counts.get(201)?.length, counts.get(403)?.length], [6, 6]);
      assert.equal((await usageOf(uid)).bytes, "900000");
    });

    test("usage has totals, quotas, the largest repos and folders, and days", async () => {
      const { uid, name } = await folder({ registry_mb: 10, repositories: 7 });
      const { bytes } = await client.image(`${name}/deep/big`, "1", "x".repeat(5_000));
      await client.image(`${name}/small`, "1", "small");
      await client.image(`${name}/small`, "2", "small");
      const usage = await usageOf(uid, 7);
      assert.deepEqual([usage.repos, usage.tags, usage.contents], ["2", "3", "6"]);
      assert.deepEqual(
        usage.largestRepos.map(({ path }: { path: string }) => path),
        ["deep/big", "small"],
      );
      assert.deepEqual(
        usage.largestFolders.map(({ path, contents }: Record<string, string>) => [path, contents]),
        [["deep", "3"]],
      );
      const [big] = usage.largestRepos;
      const config = Buffer.byteLength(
        JSON.stringify({ architecture: "amd64", os: "linux", note: "x".repeat(5_000) }),
      );
      assert.equal(big.bytes, String(5_000 + config + bytes.length));
      const quotas = usage.quotas.map((one: Record<string, string>) => [
        ...[one.quota, one.groupPath, one.used, one.allowed],
      ]);
      assert.deepEqual(quotas, [
        ["registry_mb", name, usage.bytes, String(10 * MB)],
        ["repositories", name, "2", "7"],
      ]);
      assert.deepEqual(usage.days, []);
      const history = new UsageHistory(direct.store, silent);
      const now = Date.now();
      for (const at of [now - 8 * DAY_MS, now - DAY_MS, now, now]) await history.pass(at);
      await history.stop();
      const dateOf = (at: number) => new Date(at).toISOString().slice(0, 10);
      const { days } = await usageOf(uid, 7);
      assert.deepEqual(
        days.map((one: Record<string, string>) => [one.date, one.bytes, one.repos, one.tags]),
        [now - DAY_MS, now].map((at) => [dateOf(at), usage.bytes, "2", "3"]),
      );
      assert.deepEqual((await usageOf(uid)).days, []);
    });

    world.rule("usage needs the right at the group, also for quotas above it", async (api) => {
      const { uid, name } = await folder({ registry_mb: 3 });
      const below = await world.group(uid, "below");
      const read = (token: string, groupUid: string) =>
        api.as(token).registryUsage.getRegistryUsage({ groupUid });
      const viewer = await world.member({ [below]: "viewer" });
      assert.deepEqual((await read(viewer.token, below)).quotas, []);
      assert.equal((await rejected(read(viewer.token, uid))).code, 7);
      const { token: stranger } = await world.member({ [await world.organization()]: "owner" });
      assert.equal((await rejected(read(stranger, below))).code, 7);
      const { token } = await world.member({ [uid]: ["repo.list", "tag.list"] });
      const { quotas } = await read(token, below);
      assert.deepEqual([quotas.length, quotas[0].groupPath], [1, name]);
      const lesser = await world.member({ [uid]: ["groups.list"] });
      assert.equal((await rejected(read(lesser.token, uid))).code, 7);
      assert.equal((await rejected(read("", uid))).code, 16);
      const { code, fields } = await rejected(
        api.registryUsage.getRegistryUsage({ groupUid: uid, days: 401 }),
      );
      assert.deepEqual([code, Object.keys(fields)], [3, ["days"]]);
      const missing = `${uid}/0123456789abcdef`;
      assert.equal(
        (await rejected(api.registryUsage.getRegistryUsage({ groupUid: missing }))).code,
        5,
      );
    });

    test("totals equal a recount after any pushes, mounts, deletions and renames", async () => {
      for (let seed = 0; seed < runs(2, 30); seed++) await shuffle(world, client, seed);
      assert.deepEqual(await checkContentCounts(direct.store.reader), []);
    });

    test("the step of the schema counts what is stored already", async () => {
      const { name } = await folder({});
      for (const repo of ["a", "deep/a", "deep/b"])
        await client.image(`${name}/${repo}`, "1", "old");
      const { store } = direct;
      const counts = async () =>
        JSON.stringify([
          await store.reader.all("SELECT * FROM content_links ORDER BY scope, digest"),
          await store.reader.all("SELECT * FROM content_totals WHERE linked > 0 ORDER BY scope"),
        ]);
      const before = await counts();
      const text = SQL_FILES["033-registry-usage.sql"] ?? "";
      await store.write(async (tx) => {
        for (const table of ["content_links", "content_totals"])
          await tx.run(`DELETE FROM ${table}`);
        for (const statement of parseStatements(text, tx.dialect))
          if ("sql" in statement && statement.repeats) await tx.run(statement.sql);
      });
      assert.equal(await counts(), before);
    });

    test("a wrong total is a problem of the store", async () => {
      const { uid, name } = await folder({});
      await put(`${name}/a`, Buffer.from("counted"));
      const change = (sql: string) => direct.store.write((tx) => tx.run(sql, uid));
      await change("UPDATE content_links SET links = links + 1 WHERE scope = ?");
      const found = await checkContentCounts(direct.store.reader);
      assert.deepEqual(
        found.map((one) => [one.kind, one.name]),
        [
          ["data", "content_links"],
          ["data", "content_totals"],
        ],
      );
      await change("UPDATE content_links SET links = links - 1 WHERE scope = ?");
      assert.deepEqual(await checkContentCounts(direct.store.reader), []);
    });
  },
  { registry: true, flags: ["--exposure-layers=off"] },
);

/** The status of a request whose body is announced and never sent. */
async function announce({ url }: OciClient, method: string, path: string, headers: object) {
  const { hostname, port } = new URL(url);
  const sent = request({ hostname, port, path, method, headers: { ...headers } });
  sent.flushHeaders();
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  sent.on("error", () => {}).destroy();
  return response.statusCode;
}

describe("two replicas with quotas", () => {
  let world: World;
  let other: TestServer;
  let clients: OciClient[];
  before(async () => {
    const storage = ["--registry-storage", scratchFolder("wharf-content-")];
    const flags = ["--base-url", "http://wharf.test", ...storage];
    world = await World.start({ store: "postgres", registry: true, flags });
    const same = ["--registry-host", "registry.test", ...flags];
    other = await TestServer.start({ sameStoreAs: world.server, flags: same });
    const pusher = await world.registry.holder("pusher", "registry.push");
    const token = `Bearer ${await world.server.token(pusher)}`;
    clients = [world.server, other].map(({ url }) => new OciClient(url, token));
  });
  after(async () => {
    assert.equal(await other.stop(), 0);
    await world.stop();
  });

  test("concurrent pushes do not exceed them together, and count right", async () => {
    const { team } = world.registry;
    await world.operator().groups.update(team, { resourceLimits: { registry_mb: 1 } });
    const put = async (client: OciClient, at: number) => {
      // Each content is pushed by both.
      const content = blob(`racing ${at >> 1}`, 150);
      const repo = `acme/team/r${at % 3}`;
      const location = await client.begin(repo);
      return client.send("PUT", `${location}?digest=${sha256(content)}`, { body: content });
    };
    const all = Array.from({ length: 24 }, (_, at) => put(clients[at % 2] as OciClient, at));
    const statuses = new Set((await Promise.all(all)).map(({ status }) => status));
    assert.deepEqual([...statuses].sort(), [201, 403]);
    const usage = await world.operator().registryUsage.getRegistryUsage({ groupUid: team });
    assert.equal(usage.bytes, "900000");
    const direct = await DirectStore.open(world.server);
    assert.deepEqual(await checkContentCounts(direct.store.reader), []);
    await direct.close();
  });
});

/** Random changes in a folder of its own, by one client after the other and concurrently. */
async function shuffle(world: World, client: OciClient, seed: number): Promise<void> {
  const random = new Random(seed);
  const api = world.operator();
  const top = world.name("shuffled");
  const uid = await world.group(world.registry.organization, top);
  const [folders, repos] = [
    ["x", "y", "f1", "f2"],
    ["a", "b", "c"],
  ];
  const repo = () => `acme/${top}/${random.pick(folders)}/${random.pick(repos)}`;
  const content = () => `content ${random.below(6)}`;
  const change = async () => {
    const name = repo();
    const kind = random.below(8);
    if (kind < 3) {
      const manifest = await client.manifestOf(name, content());
      await client.putManifest(name, `t${random.below(3)}`, manifest);
    } else if (kind === 3) {
      const path = `/v2/${name}/blobs/uploads/?mount=${sha256(content())}&from=${repo()}`;
      await client.send("POST", path);
    } else if (kind === 4) {
      await client.send("DELETE", `/v2/${name}/blobs/${sha256(content())}`);
    } else if (kind === 5) {
      const { headers } = await client.get(`/v2/${name}/manifests/t${random.below(3)}`);
      const digest = headers["docker-content-digest"];
      if (digest) await client.send("DELETE", `/v2/${name}/manifests/${digest}`);
    } else if (kind === 6) {
      const found = (await api.repos.list({ uidp: { descendantsOf: uid } })).repos;
      if (found.length > 0)
        await api.repos.delete(random.pick(found as { uid: string }[]).uid).catch(() => {});
    } else {
      const found = (await api.groups.list({ uidp: { childrenOf: uid } })).groups;
      if (found.length > 0) {
        const { uid: one } = random.pick(found as { uid: string }[]);
        await api.groups.update(one, { name: `f${random.below(4)}` }).catch(() => {});
      }
    }
  };
  for (let round = 0; round < 12; round++) await Promise.all([change(), change(), change()]);
}
