import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { MANIFEST, OciClient, type PushedImage, sha256 } from "./support/registry/oci-client.ts";
import { World } from "./support/world/world.ts";

const SECRET = "the layer of another tenant";

describe("attacks on the registry", () => {
  let world: World;
  let acme: OciClient;
  let rival: OciClient;
  let colleague: OciClient;
  let image: PushedImage;
  before(async () => {
    world = await World.start({ registry: true });
    const other = await world.organization("rival");
    await world.operator().groups.update(other, { verified: true });
    const client = async (uid: string) =>
      new OciClient(world.server.url, `Bearer ${await world.signer.token(uid)}`);
    acme = await client(await world.registry.holder("pusher", "registry.push"));
    colleague = await client(await world.registry.holder("colleague", "registry.push"));
    rival = await client(await world.registry.holder("rival", "registry.push", other));
    image = await acme.image("acme/app", "1", SECRET);
    await rival.image("rival/app", "1", "their own");
  });
  after(() => world.stop());

  /** An answer without what differs between any two requests. */
  const comparable = async (client: OciClient, method: string, path: string, digest: string) => {
    const { status, headers, bytes } = await client.send(method, path);
    const { date, location, ...rest } = headers;
    const drop = ["x-request-id", "docker-upload-uuid"];
    const kept = Object.entries(rest).filter(([name]) => !drop.includes(name));
    return { status, kept, body: bytes.toString().replaceAll(digest, "DIGEST") };
  };

  test("digests of another tenant are like unknown ones", async () => {
    const unknown = sha256("nobody has pushed this");
    for (const digest of [image.layer, image.config, image.digest]) {
      for (const [method, at] of [
        ["GET", "/v2/rival/app/blobs/"],
        ["HEAD", "/v2/rival/app/blobs/"],
        ["DELETE", "/v2/rival/app/blobs/"],
        ["GET", "/v2/rival/app/manifests/"],
        ["GET", "/v2/acme/app/blobs/"],
        ["HEAD", "/v2/acme/app/blobs/"],
        ["GET", "/v2/acme/app/manifests/"],
        ["POST", "/v2/rival/app/blobs/uploads/?from=acme/app&mount="],
        ["POST", "/v2/rival/app/blobs/uploads/?from=acme/none&mount="],
        ["POST", "/v2/rival/app/blobs/uploads/?mount="],
      ] as const) {
        const found = await comparable(rival, method, `${at}${digest}`, digest);
        const missing = await comparable(rival, method, `${at}${unknown}`, unknown);
        assert.deepEqual(found, missing, `${method} ${at}`);
        assert.notEqual(found.status, 201);
      }
    }
    const manifest = JSON.parse(image.bytes.toString());
    const stolen = await rival.putManifest("rival/app", "stolen", manifest);
    assert.deepEqual([stolen.status, stolen.code], [404, "MANIFEST_BLOB_UNKNOWN"]);
  });

  test("names of another tenant are like those that do not exist", async () => {
    const message = async (name: string) => {
      const { status, body } = await rival.get(`/v2/${name}/tags/list`);
      return [status, body.errors[0].message.replaceAll(name, "NAME")];
    };
    assert.deepEqual(await message("acme/app"), await message("acme/none"));
  });

  test("uploads of others do not exist, also for members with the same rights", async () => {
    const location = await acme.begin("acme/app");
    await acme.send("PATCH", location, { body: "begun" });
    for (const client of [colleague, rival]) {
      for (const [method, path] of [
        ["GET", location],
        ["PATCH", location],
        ["PUT", `${location}?digest=${sha256("begun")}`],
        ["DELETE", location],
      ] as const) {
        const { status, code } = await client.send(method, path, { body: "x" });
        const expected = client === rival ? [403, "DENIED"] : [404, "BLOB_UPLOAD_UNKNOWN"];
        assert.deepEqual([status, code], expected);
      }
    }
    const elsewhere = location.replace("acme/app", "acme/team/other");
    assert.equal((await acme.get(elsewhere)).status, 404);
    const finished = await acme.send("PUT", `${location}?digest=${sha256("begun")}`);
    assert.equal(finished.status, 201);
  });

  test("tricks with paths lead nowhere", async () => {
    for (const path of [
      "/v2/acme/../rival/app/manifests/1",
      "/v2/acme/%2e%2e/rival/app/manifests/1",
      "/v2/acme%2fapp/manifests/1",
      "/v2/acme/app%2fmanifests/1",
      "/v2/acme%252fapp/manifests/1",
      "/v2/acme//app/manifests/1",
      "/v2//acme/app/manifests/1",
      "/v2/ACME/app/manifests/1",
      "/v2/acme/App/manifests/1",
      "/v2/acme/app/manifests/..%2f1",
      "/v2/acme/app/manifests/%31",
      "/v2/acme/app/blobs/../manifests/1",
      "/v2/acme/app\\manifests\\1",
      "/v2/acme/app/manifests/1%00",
      "/v2/./acme/app/manifests/1",
      `/v2/${"a/".repeat(200)}app/manifests/1`,
      `/v2/acme/${"a".repeat(300)}/manifests/1`,
    ]) {
      const { status } = await acme.get(path);
      assert.ok([400, 404, 405].includes(status), `${path}: ${status}`);
    }
    assert.equal((await acme.get("/v2/acme/app/manifests/1")).status, 200);
  });

  test("manifests that browsers would run are refused", async () => {
    const html = "<script>alert(1)</script>";
    const manifest = JSON.parse(image.bytes.toString());
    const { mediaType: _, ...bare } = manifest;
    for (const [body, type] of [
      [html, "text/html"],
      [html, MANIFEST],
      ["<svg/>", "image/svg+xml"],
      [JSON.stringify(bare), "text/html"],
      [JSON.stringify(bare), "image/svg+xml"],
      [JSON.stringify(bare), "application/xhtml+xml"],
      [JSON.stringify({ ...manifest, mediaType: "text/html" }), "text/html"],
      [JSON.stringify({ ...manifest, mediaType: "text/html" }), ""],
      [JSON.stringify(manifest), "application/json; x=<svg>, text/html"],
      ["[]", MANIFEST],
      ["null", MANIFEST],
      ["", MANIFEST],
      [`{"schemaVersion":2`, MANIFEST],
    ] as const) {
      const { status, code } = await acme.putManifest("acme/app", "bad", body, type);
      assert.deepEqual([body, type, status, code], [body, type, 400, "MANIFEST_INVALID"]);
    }
    assert.equal((await acme.get("/v2/acme/app/manifests/bad")).status, 404);
  });

  test("a page in a blob is never one of ours", async () => {
    const digest = await acme.blob("acme/app", "<html><script>alert(1)</script></html>");
    const { headers } = await acme.get(`/v2/acme/app/blobs/${digest}`, { accept: "text/html" });
    assert.equal(headers["content-type"], "application/octet-stream");
    assert.equal(headers["x-content-type-options"], "nosniff");
    assert.equal(headers["content-security-policy"], "default-src 'none'; sandbox");
    const manifest = await acme.get("/v2/acme/app/manifests/1", { accept: "text/html" });
    assert.equal(manifest.headers["content-security-policy"], "default-src 'none'; sandbox");
  });

  test("a manifest with too many or malformed references is refused", async () => {
    const manifest = JSON.parse(image.bytes.toString());
    const [layer] = manifest.layers;
    const many = { ...manifest, layers: Array.from({ length: 10_001 }, () => layer) };
    const tooMany = await acme.putManifest("acme/app", "many", many);
    assert.deepEqual([tooMany.status, tooMany.code], [400, "MANIFEST_INVALID"]);
    for (const digest of ["", "sha256:x", "../../etc/passwd", 7, null]) {
      const layers = [{ ...layer, digest }];
      const { code } = await acme.putManifest("acme/app", "bad", { ...manifest, layers });
      assert.equal(code, "MANIFEST_INVALID");
    }
  });

  test("refused pushes leave no files", async () => {
    const folder = join(world.server.data, "registry/uploads");
    const before = readdirSync(folder).length;
    for (let at = 0; at < 5; at++) {
      const path = `/v2/acme/app/blobs/uploads/?digest=${sha256("a lie")}`;
      assert.equal((await acme.send("POST", path, { body: "the truth" })).status, 400);
    }
    assert.equal(readdirSync(folder).length, before);
  });
});
