import assert from "node:assert/strict";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, afterEach, before, describe, test } from "node:test";
import { TestRegistry } from "../../server/test/support/registry/distribution.ts";
import { type AskedRegistry, RegistryProxy } from "../../server/test/support/registry/proxy.ts";
import {
  INDEX,
  MANIFEST,
  RegistryStorage,
  type StoredImage,
} from "../../server/test/support/registry/storage.ts";
import { freePort } from "../../server/test/support/server/free-port.ts";
import { scratchFolder } from "../../server/test/support/server/scratch-folder.ts";
import { World } from "../../server/test/support/world/world.ts";
import { Home } from "./support/auth-home.ts";

const USER = "robot";
const PASSWORD = "horse battery";
/** bcrypt of the password. */
const HTPASSWD = `${USER}:$2b$05$abcdefghijklmnopqrstuugsn86/tDPzcunh7F2LJIjUa1NfxvIXi\n`;

interface Answer {
  readonly status: number;
  readonly digest: string | null;
  // biome-ignore lint/suspicious/noExplicitAny: manifests have every shape.
  readonly body: any;
}

describe("wharf registry import, from a CNCF Distribution", () => {
  let world: World;
  let registry: TestRegistry;
  let proxy: RegistryProxy;
  let storage: RegistryStorage;
  let home: Home;
  let token: string;
  before(async () => {
    world = await World.start();
    const { uid } = await world.post("groups", { name: "acme.example" });
    await world.http.patch(`/iam/v2beta1/groups/${uid}`, { verified: true });
    const file = join(scratchFolder("wharf-htpasswd-"), "htpasswd");
    writeFileSync(file, HTPASSWD);
    const host = `127.0.0.1:${await freePort()}`;
    registry = await TestRegistry.start(world.server.url, host, {
      more: { auth: { htpasswd: { realm: "test", path: file } } },
    });
    proxy = await RegistryProxy.start(host);
    storage = new RegistryStorage(registry.storage);
    token = await world.server.token();
    home = new Home({ WHARF_API: world.server.url, WHARF_TOKEN: token });
    const auth = Buffer.from(`${USER}:${PASSWORD}`).toString("base64");
    home.write(".docker/config.json", JSON.stringify({ auths: { [source()]: { auth } } }));
  });
  afterEach(() => {
    proxy.instead = () => undefined;
    proxy.asked.length = 0;
  });
  after(async () => {
    proxy.stop();
    await registry.stop();
    await world.stop();
    home.remove();
  });

  const source = () => new URL(proxy.url).host;
  const importing = (...args: string[]) => home.run(["registry", "import", ...args, "-o", "json"]);
  const imported = async (...args: string[]) => {
    const { code, stdout, stderr } = await importing(...args);
    assert.equal(code, 0, stderr);
    return JSON.parse(stdout);
  };
  /** An answer of the registry of the server. */
  const at = async (path: string, method = "GET"): Promise<Answer> => {
    const headers = { authorization: `Bearer ${token}` };
    const response = await fetch(`${world.server.url}/v2/${path}`, { method, headers });
    const text = await response.text();
    const digest = response.headers.get("docker-content-digest");
    return { status: response.status, digest, body: text && JSON.parse(text) };
  };
  const digestAt = async (repo: string, tag: string) =>
    (await at(`${repo}/manifests/${tag}`)).digest;
  const fetched = (what: RegExp) =>
    proxy.asked.filter(({ method, url }) => method === "GET" && what.test(url));
  const referrersTag = ({ digest }: StoredImage) => digest.replace(":", "-");

  test("copies tags, indexes and what is attached to them, and then has nothing to do", async () => {
    const repo = "acme.example/whole";
    const index = storage.index("whole", ["amd64", "arm64"]);
    const image = storage.image("signed");
    const signature = storage.attachment("signature", image, "application/vnd.test.signature");
    const cosign = storage.image("cosign");
    storage.tag(repo, "index", index);
    storage.tag(repo, "1.0", image);
    storage.tag(repo, "latest", image);
    storage.tag(repo, referrersTag(image), storage.repeated(signature, MANIFEST, 1));
    storage.tag(repo, `${referrersTag(image)}.sig`, cosign);

    const first = await imported(`${source()}/${repo}`);
    assert.deepEqual([first.repos, first.tags.copied, first.failures], [1, 5, []]);
    assert.equal(await digestAt(repo, "index"), index.digest);
    assert.equal(await digestAt(repo, "1.0"), image.digest);
    assert.equal(await digestAt(repo, "latest"), image.digest);
    for (const digest of [...index.manifests, ...image.manifests, ...signature.manifests]) {
      assert.equal((await at(`${repo}/manifests/${digest}`)).digest, digest);
    }
    for (const digest of [...index.layers, ...image.layers, ...signature.layers]) {
      assert.equal((await at(`${repo}/blobs/${digest}`, "HEAD")).status, 200);
    }
    const { body } = await at(`${repo}/referrers/${image.digest}`);
    const found = body.manifests.map((one: { digest: string }) => one.digest);
    assert.deepEqual(found, [signature.digest]);

    proxy.asked.length = 0;
    const second = await imported(`${source()}/${repo}`);
    assert.deepEqual([second.tags.copied, second.tags.present, second.bytes], [0, 5, 0]);
    assert.deepEqual(fetched(/\/blobs\//), []);
  });

  test("one tag brings its attachments and nothing else, also to another path", async () => {
    const image = storage.image("one of many");
    const signature = storage.attachment("its signature", image);
    storage.tag("acme.example/many", "1", image);
    storage.tag("acme.example/many", "2", storage.image("another of many"));
    storage.tag("acme.example/many", referrersTag(image), storage.repeated(signature, MANIFEST, 1));
    const { host } = new URL(world.server.url);
    const { tags } = await imported(`${source()}/acme.example/many:1`, `${host}/acme.example/few`);
    assert.equal(tags.copied, 2);
    const list = (await at("acme.example/few/tags/list")).body.tags;
    assert.deepEqual(list.sort(), ["1", referrersTag(image)]);
    const { body } = await at(`acme.example/few/referrers/${image.digest}`);
    assert.equal(body.manifests[0].digest, signature.digest);
  });

  test("an attachment may be what it is attached to", async () => {
    const image = storage.image("its own");
    storage.tag("acme.example/own", "1", image);
    storage.tag("acme.example/own", referrersTag(image), image);
    assert.equal((await imported(`${source()}/acme.example/own`)).tags.copied, 2);
  });

  test("copies the repositories of a folder by the catalog, and selected tags", async () => {
    const tagged = ["1.0", "1.1", "1.1-rc", "2.0"];
    for (const repo of ["acme.example/team/a", "acme.example/team/b", "acme.example/teams"]) {
      for (const tag of tagged) storage.tag(repo, tag, storage.image(`${repo}:${tag}`));
    }
    const names = [`${source()}/acme.example/team/*`, "--include", "1.*", "--exclude", "*-rc"];
    const planned = await imported(...names, "--dry-run");
    assert.deepEqual([planned.repos, planned.tags.copied], [2, 4]);
    assert.ok(planned.bytes > 1024);
    assert.deepEqual(fetched(/\/blobs\//), []);
    assert.notEqual((await at("acme.example/team/a/tags/list")).status, 200);
    const done = await imported(...names);
    assert.deepEqual(done, planned);
    for (const repo of ["a", "b"]) {
      const { body } = await at(`acme.example/team/${repo}/tags/list`);
      assert.deepEqual(body.tags, ["1.0", "1.1"]);
    }
    assert.notEqual((await at("acme.example/teams/tags/list")).status, 200);
  });

  test("goes on after an interruption with what is missing", async () => {
    const repo = "acme.example/resumed";
    const images = [storage.image("first of two"), storage.image("second of two")];
    for (const [at, image] of images.entries()) storage.tag(repo, `${at}`, image);
    const configs = images.map(({ layers }) => layers[0] as string);
    const asked: string[] = [];
    const isSecond = Promise.withResolvers<void>();
    const released = Promise.withResolvers<undefined>();
    // Registries list tags in any order.
    proxy.instead = ({ method, url }) => {
      const config = configs.find((one) => url.endsWith(one));
      if (method !== "GET" || config === undefined || asked.push(config) < 2) return undefined;
      isSecond.resolve();
      return released.promise;
    };
    const args = ["registry", "import", `${source()}/${repo}`, "--concurrency", "1"];
    const running = home.startProcess(args);
    await isSecond.promise;
    running.child.kill("SIGINT");
    const { code, stderr } = await running.ended;
    released.resolve(undefined);
    assert.equal(code, 130, stderr);
    assert.match(stderr, /import incomplete; run the same command again/);
    const missing = configs.indexOf(asked[1] as string);
    const had = 1 - missing;
    assert.equal(await digestAt(repo, `${had}`), images[had]?.digest);
    assert.equal((await at(`${repo}/manifests/${missing}`)).status, 404);

    proxy.instead = () => undefined;
    proxy.asked.length = 0;
    const { tags, blobs } = await imported(`${source()}/${repo}`);
    assert.deepEqual([tags.copied, tags.present, blobs.copied], [1, 1, 1]);
    const read = fetched(/\/blobs\//).map(({ url }) => url.split("/").at(-1));
    assert.deepEqual(read, [configs[missing]]);
    assert.equal(await digestAt(repo, `${missing}`), images[missing]?.digest);
  });

  test("retries after resets and overload, not before Retry-After", async () => {
    const repo = "acme.example/unreliable";
    const image = storage.image("unreliable");
    storage.tag(repo, "1", image);
    const [config = "", layer = ""] = image.layers;
    const times = new Map<string, number>();
    const limited = { at: 0, isEarly: false };
    proxy.instead = ({ method, url }: AskedRegistry) => {
      limited.isEarly ||= Date.now() < limited.at;
      if (method !== "GET") return undefined;
      const time = (times.get(url) ?? 0) + 1;
      times.set(url, time);
      if (url.endsWith("/manifests/1")) {
        if (time > 1) return undefined;
        limited.at = Date.now() + 990;
        return { status: 429, headers: { "retry-after": "1" }, body: "{}" };
      }
      // Half a layer, and then nothing.
      if (url.endsWith(layer) && time <= 2) {
        const headers = { "content-length": "1024" };
        return { status: 200, headers, body: "\0".repeat(512), isReset: true };
      }
      if (url.endsWith(config) && time === 1) return { status: 503, body: "overloaded" };
      return undefined;
    };
    const done = await imported(`${source()}/${repo}`);
    assert.deepEqual([done.tags.copied, done.bytes], [1, image.size]);
    assert.equal(await digestAt(repo, "1"), image.digest);
    assert.ok(!limited.isEarly, "a request was sent before Retry-After");
    assert.ok(limited.at > 0 && [...times.values()].includes(3));
  });

  test("reports what failed, copies the rest and exits with 1", async () => {
    const repo = "acme.example/damaged";
    const [good, lying] = [storage.image("undamaged"), storage.image("damaged")];
    storage.tag(repo, "good", good);
    storage.tag(repo, "lying", lying);
    const [config = ""] = lying.layers;
    const length = String(lying.size - 1024);
    proxy.instead = ({ method, url }) => {
      if (method !== "GET" || !url.endsWith(config)) return undefined;
      return { status: 200, headers: { "content-length": length }, body: "x".repeat(+length) };
    };
    const { code, stdout, stderr } = await importing(`${source()}/${repo}`);
    assert.equal(code, 1);
    const { error } = JSON.parse(stderr);
    assert.deepEqual(
      error.violations.map((one: { field: string }) => one.field),
      [`${repo}:lying`],
    );
    assert.match(error.violations[0].description, /DIGEST_INVALID/);
    assert.equal(JSON.parse(stdout).tags.copied, 1);
    assert.equal(await digestAt(repo, "good"), good.digest);
    assert.equal((await at(`${repo}/manifests/lying`)).status, 404);
  });

  test("a manifest with another digest is not copied", async () => {
    const repo = "acme.example/swapped";
    const [asked, other] = [storage.image("asked for"), storage.image("sent instead")];
    storage.tag(repo, "1", asked);
    storage.put(repo, other);
    proxy.instead = async ({ method, url }) => {
      if (method !== "GET" || !url.endsWith("/manifests/1")) return undefined;
      const body = JSON.stringify({ schemaVersion: 2, mediaType: MANIFEST, layers: [] });
      const headers = { "content-type": MANIFEST, "docker-content-digest": asked.digest };
      return { status: 200, headers, body };
    };
    const { code, stderr } = await importing(`${source()}/${repo}`);
    assert.deepEqual([code, /with other content/.test(stderr)], [1, true]);
    assert.notEqual((await at(`${repo}/manifests/1`)).status, 200);
  });

  test("credentials come from Docker's helpers and from variables", async () => {
    const repo = "acme.example/credentials";
    storage.tag(repo, "1", storage.image("credentials"));
    const other = new Home({ WHARF_API: world.server.url, WHARF_TOKEN: token });
    const name = `${source()}/${repo}`;
    const anonymous = await other.run(["registry", "import", name]);
    assert.deepEqual([anonymous.code, /requires credentials/.test(anonymous.stderr)], [1, true]);
    const wrong = { WHARF_SOURCE_USERNAME: USER, WHARF_SOURCE_PASSWORD: "wrong" };
    const denied = await other.run(["registry", "import", name], { env: wrong });
    assert.deepEqual([denied.code, /: 401/.test(denied.stderr)], [1, true]);
    const right = { ...wrong, WHARF_SOURCE_PASSWORD: PASSWORD };
    await other.ok(["registry", "import", name], { env: right });

    const helper = other.write("bin/docker-credential-test", HELPER);
    other.write(".docker/config.json", JSON.stringify({ credHelpers: { [source()]: "test" } }));
    chmodSync(helper, 0o755);
    const env = { PATH: `${join(other.folder, "bin")}:${process.env.PATH}` };
    await other.ok(["registry", "import", name], { env });
    other.remove();
  });

  test("a registry without the referrers API gets the referrers tag", async () => {
    const repo = "acme.example/attached";
    const image = storage.image("attached");
    const signature = storage.attachment("of attached", image);
    storage.tag(repo, "1", image);
    storage.tag(repo, referrersTag(image), storage.repeated(signature, MANIFEST, 1));
    await imported(`${source()}/${repo}`);
    const headers = { authorization: `Bearer ${token}` };
    const tag = `${world.server.url}/v2/${repo}/manifests/${referrersTag(image)}`;
    assert.equal((await fetch(tag, { method: "DELETE", headers })).status, 202);

    const { host } = new URL(world.server.url);
    const back = [`${host}/${repo}`, `${source()}/other/attached`];
    await imported(...back);
    const basic = Buffer.from(`${USER}:${PASSWORD}`).toString("base64");
    const url = `${proxy.url}/v2/other/attached/manifests/${referrersTag(image)}`;
    const answer = await fetch(url, {
      headers: { accept: INDEX, authorization: `Basic ${basic}` },
    });
    const { manifests } = (await answer.json()) as { manifests: { digest: string }[] };
    assert.deepEqual(
      manifests.map(({ digest }) => digest),
      [signature.digest],
    );
    const again = await imported(...back);
    assert.deepEqual([again.tags.copied, again.manifests.copied], [0, 0]);
  });

  test("a caller who may not push is denied, with the reason", async () => {
    storage.tag("acme.example/denied", "1", storage.image("denied"));
    const { token: weak } = await world.member();
    const args = ["registry", "import", `${source()}/acme.example/denied`];
    const { code, stderr } = await home.run(args, { env: { WHARF_TOKEN: weak } });
    assert.equal(code, 1);
    assert.match(stderr, /acme\.example\/denied:1: .*40[13]/);
    assert.notEqual((await at("acme.example/denied/tags/list")).status, 200);
  });
});

const HELPER = `#!/bin/sh
cat > /dev/null
printf '{"ServerURL":"","Username":"${USER}","Secret":"${PASSWORD}"}'
`;
