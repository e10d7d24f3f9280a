import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { OciClient, sha256 } from "./support/registry/oci-client.ts";
import { rawRows } from "./support/server/direct-store.ts";
import { scratchFolder } from "./support/server/scratch-folder.ts";
import { TestServer } from "./support/server/test-server.ts";
import { onEachStore, World } from "./support/world/world.ts";

onEachStore(
  "a push to the registry",
  (world) => {
    let client: OciClient;
    let pusher: string;
    before(async () => {
      pusher = await world.registry.holder("pusher", "registry.push");
      client = new OciClient(world.server.url, `Bearer ${await world.signer.token(pusher)}`);
    });

    const rows = <Row extends object>(sql: string) => rawRows<Row>(world.server, sql);

    test("is in tags, history, images, audit log and events when it returns", async () => {
      const { digest } = await client.image("acme/app", "1", "hello");
      const api = world.operator();
      const { tags: items } = await api.tags.list({ name: "1" });
      const [tag] = items;
      assert.deepEqual([tag.name, tag.digest], ["1", digest]);
      const { entries } = await api.tags.listTagHistory({ uid: tag.uid, pageSize: 10 });
      assert.deepEqual(
        entries.map((one: { digest: string }) => one.digest),
        [digest],
      );
      const repo = tag.uid.slice(0, tag.uid.lastIndexOf("/"));
      const audits = await rows<{ actor: string; actor_name: string; detail: string }>(
        `SELECT actor, actor_name, detail FROM audit
         WHERE resource = '${repo}' AND method = 'registry push'`,
      );
      assert.equal(audits.length, 1);
      assert.deepEqual([audits[0]?.actor, audits[0]?.actor_name], [pusher, "pusher"]);
      assert.equal(JSON.parse(audits[0]?.detail ?? "").tag, "1");
      const events = await rows<{ type: string }>(
        `SELECT type FROM events WHERE subject = '${repo}' AND type = 'registry.push.v1'`,
      );
      assert.equal(events.length, 1);
    });

    test("that refers to something unknown changes nothing", async () => {
      const manifest = await client.manifestOf("acme/failing", "hello");
      const counts = async () =>
        JSON.stringify(
          await rows(
            `SELECT (SELECT count(*) FROM tags) AS tags, (SELECT count(*) FROM manifests) AS manifests,
             (SELECT count(*) FROM events) AS events`,
          ),
        );
      const before = await counts();
      const layers = [{ ...manifest.layers[0], digest: sha256("not pushed") }];
      const { status } = await client.putManifest("acme/failing", "1", { ...manifest, layers });
      assert.equal(status, 404);
      assert.equal(await counts(), before);
    });

    test("does not move a tag where tags are unique", async () => {
      const at = `/registry/v2beta1/settings/${world.registry.team}`;
      assert.equal((await world.http.patch(at, { uniqueTags: true })).status, 200);
      const { digest } = await client.image("acme/team/unique", "1", "first");
      const other = await client.manifestOf("acme/team/unique", "second");
      const { status, code } = await client.putManifest("acme/team/unique", "1", other);
      assert.deepEqual([status, code], [409, "DENIED"]);
      const { headers } = await client.get("/v2/acme/team/unique/manifests/1");
      assert.equal(headers["docker-content-digest"], digest);
      // The same image again is no move.
      await client.image("acme/team/unique", "1", "first");
    });

    test("is refused where the quota of repositories is used up", async () => {
      const resourceLimits = { repositories: 0 };
      const { organization } = world.registry;
      await world.post(`groups/${organization}`, { name: "full", resourceLimits });
      const { status, code, body } = await client.send("POST", "/v2/acme/full/app/blobs/uploads/");
      assert.deepEqual([status, code], [403, "DENIED"]);
      assert.match(body.errors[0].message, /quota of repositories at acme\/full is used up/);
    });
  },
  { registry: true, flags: ["--exposure-layers=off"] },
);

describe("a full disk", () => {
  let world: World;
  let client: OciClient;
  before(async () => {
    world = await World.start({ registry: true });
    const pusher = await world.registry.holder("pusher", "registry.push");
    client = new OciClient(world.server.url, `Bearer ${await world.signer.token(pusher)}`);
  });
  after(() => world.stop());

  test("refuses pushes with a reason, while pulls and the API go on", async () => {
    const { bytes, layer } = await client.image("acme/app", "1", "hello");
    const location = await client.begin("acme/app");
    await world.server.terminate();
    const flags = ["--registry-host", "registry.test", "--registry-min-free", "999999999"];
    await world.server.restart(flags);
    for (const [method, path] of [
      ["POST", "/v2/acme/app/blobs/uploads/"],
      ["POST", `/v2/acme/app/blobs/uploads/?digest=${sha256("x")}`],
      ["PATCH", location],
      ["PUT", `${location}?digest=${sha256("x")}`],
      ["PUT", "/v2/acme/app/manifests/2"],
    ] as const) {
      const { status, code, body } = await client.send(method, path, { body: "x" });
      assert.deepEqual([method, path, status, code], [method, path, 507, "UNAVAILABLE"]);
      assert.match(body.errors[0].message, /disk of the registry is full/);
    }
    assert.deepEqual((await client.get("/v2/acme/app/manifests/1")).bytes, bytes);
    assert.equal((await client.get(`/v2/acme/app/blobs/${layer}`)).bytes.toString(), "hello");
    await world.organization("still works");
    await world.server.terminate();
    await world.server.restart(["--registry-host", "registry.test"]);
    // The upload goes on where it was, after two restarts.
    const done = await client.send("PUT", `${location}?digest=${sha256("x")}`, { body: "x" });
    assert.equal(done.status, 201);
  });
});

describe("two replicas with one folder", () => {
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

  test("an upload continues on the other", async () => {
    const [one, two] = clients as [OciClient, OciClient];
    const location = await one.begin("acme/app");
    assert.equal((await two.send("PATCH", location, { body: "first " })).status, 202);
    assert.equal((await one.send("PATCH", location, { body: "second" })).status, 202);
    const digest = sha256("first second");
    assert.equal((await two.send("PUT", `${location}?digest=${digest}`)).status, 201);
    assert.equal((await one.get(`/v2/acme/app/blobs/${digest}`)).bytes.toString(), "first second");
  });

  test("concurrent pushes of one tag have one history and one winner", async () => {
    const rounds = 5;
    const digests: string[] = [];
    for (let round = 0; round < rounds; round++) {
      const pushed = await Promise.all(
        clients.map((client, at) => client.image("acme/raced", "1", `${round} by ${at}`)),
      );
      digests.push(...pushed.map(({ digest }) => digest));
      const current = await Promise.all(
        clients.map((client) => client.get("/v2/acme/raced/manifests/1")),
      );
      const [a, b] = current.map(({ headers }) => headers["docker-content-digest"]);
      assert.equal(a, b);
      assert.ok(pushed.some(({ digest }) => digest === a));
    }
    const { tags: items } = await world.operator().tags.list({ name: "1" });
    assert.equal(items.length, 1);
    const { entries } = await world
      .operator()
      .tags.listTagHistory({ uid: items[0].uid, pageSize: 100 });
    const history = entries.map((one: { digest: string }) => one.digest);
    assert.deepEqual(history.toSorted(), digests.toSorted());
    assert.ok([history[0], history.at(-1)].includes(items[0].digest));
  });
});
