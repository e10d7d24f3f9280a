import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, test } from "node:test";
import { allRejected, rejected } from "./support/client/api-error.ts";
import { OciClient, type PushedImage, sha256 } from "./support/registry/oci-client.ts";
import { NAME, REMOTE, UpstreamWorld } from "./support/registry/upstream-world.ts";
import { World } from "./support/world/world.ts";

describe("rights at an upstream", () => {
  let world: UpstreamWorld;
  let image: PushedImage;
  let stranger: OciClient;
  before(async () => {
    world = await UpstreamWorld.start();
    image = await world.pusher.image(REMOTE, "1.0", "private content");
    await world.add();
    const other = await world.world.organization("other");
    const { token } = await world.world.member({ [other]: "owner" });
    stranger = world.puller.as(`Bearer ${token}`);
  });
  after(() => world.stop());

  const manifest = (reference: string, name = NAME) => `/v2/${name}/manifests/${reference}`;

  test("callers without pull are refused before the upstream is asked", async () => {
    world.paths();
    for (const client of [stranger, world.puller.as(undefined)]) {
      for (const path of [
        manifest("1.0"),
        manifest(image.digest),
        `/v2/${NAME}/blobs/${image.layer}`,
        `/v2/${NAME}/tags/list`,
        `/v2/${NAME}/referrers/${image.digest}`,
      ]) {
        const { status } = await client.get(path);
        assert.ok(status === 401 || status === 403, `${path}: ${status}`);
      }
    }
    assert.deepEqual(world.paths(), []);
  });

  test("a blob is fetched only if an image of the repo needs it", async () => {
    assert.equal((await world.puller.get(manifest("1.0"))).status, 200);
    const secret = await world.pusher.blob(REMOTE, "no image has it");
    world.paths();
    assert.equal((await world.puller.get(`/v2/${NAME}/blobs/${secret}`)).status, 404);
    assert.deepEqual(world.paths(), []);
  });

  test("wrong credentials are 404 with a reason, and stored images stay", async () => {
    const api = world.world.operator();
    await api.upstreams.update(world.hub, { password: "wrong" });
    const { status, body } = await world.puller.get(manifest("other"));
    assert.equal(status, 404);
    assert.match(body.errors[0].message, /the upstream .* (denies access|cannot be read|requires)/);
    assert.equal((await world.puller.get(manifest(image.digest))).status, 200);
    const { problem } = await api.upstreams.checkUpstream({ uid: world.hub, repository: REMOTE });
    assert.match(problem, /the upstream/);
    await api.upstreams.update(world.hub, { password: world.credentials.password });
  });

  test("members need settings and repos to manage one", async () => {
    const { token } = await world.world.member({ [world.hub]: "registry.push" });
    const member = world.world.operator().as(token);
    const errors = await allRejected([
      member.upstreams.update(world.hub, { url: "http://127.0.0.1:1" }),
      member.upstreams.delete(world.hub),
      member.upstreams.checkUpstream({ uid: world.hub }),
      member.upstreams.create(world.world.registry.team, { url: world.proxy.url, mode: 1 }),
    ]);
    for (const { reason } of errors) assert.equal(reason, "PERMISSION_DENIED");
  });

  test("patterns bound what comes from it", async () => {
    const api = world.world.operator();
    const team = world.world.registry.team;
    await world.add({ repositories: ["acme/ap?"], tags: ["1.*"] }, team);
    await world.pusher.image(REMOTE, "2.0", "two");
    await world.pusher.image("acme/other", "1.0", "other");
    const status = async (name: string, tag: string) =>
      (await world.puller.get(manifest(tag, name))).status;
    assert.equal(await status("acme/team/app", "1.0"), 200);
    assert.equal(await status("acme/team/app", "2.0"), 404);
    assert.equal(await status("acme/team/other", "1.0"), 404);
    const { tags } = (await world.puller.get("/v2/acme/team/app/tags/list")).body;
    assert.deepEqual(tags, ["1.0"]);
    await api.upstreams.delete(team);
    assert.equal(await status("acme/team/app", "1.0"), 200);
  });

  test("a repo may have one of its own; the nearest counts", async () => {
    const api = world.world.operator();
    const repo = await api.repos.create(world.world.registry.organization, { name: "single" });
    const wrong = { url: world.proxy.url, mode: "UPSTREAM_MODE_CACHE" };
    assert.equal(
      (await rejected(api.upstreams.create(repo.uid, wrong))).reason,
      "INVALID_ARGUMENT",
    );
    await world.add({ path: REMOTE }, repo.uid);
    assert.equal((await world.puller.get(manifest("1.0", "acme/single"))).status, 200);
    assert.equal((await rejected(world.add({ path: REMOTE }, repo.uid))).reason, "ALREADY_EXISTS");
    await api.repos.delete(repo.uid);
    assert.equal((await rejected(api.upstreams.get(repo.uid))).reason, "NOT_FOUND");
  });

  test("a gateway keeps nothing, and verifies what it passes on", async () => {
    const api = world.world.operator();
    const passing = await world.world.group(world.world.registry.organization, "passing");
    await world.add({ mode: "UPSTREAM_MODE_GATEWAY" }, passing);
    const name = "acme/passing/app";
    for (const reference of ["1.0", image.digest]) {
      assert.deepEqual((await world.puller.get(manifest(reference, name))).bytes, image.bytes);
    }
    const blob = `/v2/${name}/blobs/${image.layer}`;
    assert.equal((await world.puller.get(blob)).bytes.toString(), "private content");
    assert.equal((await world.puller.send("HEAD", blob)).headers["content-length"], "15");
    world.fails(({ url }) =>
      url.includes("/blobs/") ? { status: 200, body: "private CONTENT" } : undefined,
    );
    const wrong = await world.puller.get(blob).catch(() => undefined);
    assert.ok(wrong === undefined || wrong.bytes.length < 15);
    world.fails();
    const { repos } = await api.repos.list({ uidp: { childrenOf: passing } });
    assert.deepEqual(repos, []);
  });
});

describe("addresses of upstreams", () => {
  let world: World;
  let puller: OciClient;
  let group: string;
  let allowed: Awaited<ReturnType<typeof listener>>;
  let storage: Awaited<ReturnType<typeof listener>>;
  let forbidden: Awaited<ReturnType<typeof listener>>;
  before(async () => {
    [allowed, storage, forbidden] = [await listener(), await listener(), await listener()];
    const sinks = `${allowed.url},${storage.url}`;
    const flags = ["--base-url", "http://wharf.test", "--private-sinks", sinks];
    world = await World.start({ registry: true, flags });
    const uid = await world.registry.holder("puller", "registry.pull");
    puller = new OciClient(world.server.url, `Bearer ${await world.server.token(uid)}`);
    group = await world.group(world.registry.organization, "hub");
  });
  after(async () => {
    await world.stop();
    for (const one of [allowed, storage, forbidden]) one.stop();
  });

  const get = (path = "app/manifests/1.0") => puller.get(`/v2/acme/hub/${path}`);

  test("private ones are refused, unless the operator allows them", async () => {
    const { upstreams } = world.operator();
    for (const url of [forbidden.url, "https://127.0.0.1", "https://10.0.0.1", "ftp://a.example"]) {
      const error = await rejected(upstreams.create(group, { url, mode: "UPSTREAM_MODE_CACHE" }));
      assert.deepEqual([url, error.reason], [url, "INVALID_ARGUMENT"]);
    }
    await upstreams.create(group, {
      ...{ url: allowed.url, mode: "UPSTREAM_MODE_CACHE" },
      ...{ username: "ada", password: "secret" },
    });
  });

  test("a token endpoint at a private address gets nothing", async () => {
    const challenge = `Bearer realm="${forbidden.url}/token",service="x"`;
    allowed.answer = (_request, response) =>
      response.writeHead(401, { "www-authenticate": challenge }).end();
    const { status, body } = await get();
    assert.equal(status, 404);
    assert.match(body.errors[0].message, /token endpoint at an address that is not public/);
    assert.deepEqual(forbidden.requests, []);
  });

  test("a redirect to a private address is not followed", async () => {
    allowed.answer = (_request, response) =>
      response.writeHead(307, { location: `${forbidden.url}/secret` }).end();
    assert.equal((await get()).status, 502);
    assert.deepEqual(forbidden.requests, []);
  });

  test("a redirect to another host gets no credentials", async () => {
    const config = "{}";
    const manifest = JSON.stringify({
      schemaVersion: 2,
      mediaType: "application/vnd.oci.image.manifest.v1+json",
      config: { mediaType: "application/json", digest: sha256(config), size: 2 },
      layers: [{ mediaType: "application/json", digest: sha256("layer"), size: 5 }],
    });
    storage.answer = (_request, response) => response.end(config);
    allowed.answer = ({ url, headers }, response) => {
      if (headers.authorization === undefined) {
        response.writeHead(401, { "www-authenticate": 'Basic realm="x"' }).end();
      } else if (url?.includes("/blobs/")) {
        response.writeHead(307, { location: `${storage.url}/stored` }).end();
      } else {
        const type = "application/vnd.oci.image.manifest.v1+json";
        response.writeHead(200, { "content-type": type }).end(manifest);
      }
    };
    assert.equal((await get()).status, 200);
    assert.equal((await get(`app/blobs/${sha256(config)}`)).bytes.toString(), config);
    const basic = `Basic ${btoa("ada:secret")}`;
    const sent = allowed.requests.map(({ authorization }) => authorization);
    assert.ok(sent.includes(basic));
    assert.deepEqual(storage.requests, [{ url: "/stored", authorization: undefined }]);

    storage.answer = (_request, response) => {
      const challenge = `Bearer realm="${storage.url}/token",service="x"`;
      response.writeHead(401, { "www-authenticate": challenge }).end();
    };
    assert.equal((await get(`app/blobs/${sha256("layer")}`)).status, 404);
    assert.ok(storage.requests.every(({ url }) => url === "/stored"));
  });
});

/** A server that answers as a test says, and records what it was sent. */
async function listener() {
  type Answer = Parameters<typeof createServer>[1] & object;
  const self = {
    answer: ((_request, response) => response.writeHead(404).end()) as Answer,
    requests: [] as { url: string; authorization: string | undefined }[],
    url: "",
    stop: () => {},
  };
  const server = createServer((request, response) => {
    const { url = "", headers } = request;
    self.requests.push({ url, authorization: headers.authorization });
    self.answer(request, response as never);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  self.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  self.stop = () => {
    server.closeAllConnections();
    server.close();
  };
  return self;
}
