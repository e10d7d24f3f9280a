import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import {
  INDEX,
  MANIFEST,
  OciClient,
  type PushedImage,
  sha256,
} from "./support/registry/oci-client.ts";
import { World } from "./support/world/world.ts";

const NAME = "acme/app";
const SBOM = "application/vnd.example.sbom";

describe("lists of the registry", () => {
  let world: World;
  let client: OciClient;
  let image: PushedImage;
  before(async () => {
    world = await World.start({ registry: true });
    const pusher = await world.registry.holder("pusher", "registry.push");
    client = new OciClient(world.server.url, `Bearer ${await world.signer.token(pusher)}`);
    image = await client.image(NAME, "b", "hello");
    for (const tag of ["a", "B", "c", "10", "9"]) {
      assert.equal((await client.putManifest(NAME, tag, image.bytes)).status, 201);
    }
  });
  after(() => world.stop());

  const tags = (query = "") => client.get(`/v2/${NAME}/tags/list${query}`);

  test("tags have the order of their bytes", async () => {
    const { status, body, headers } = await tags();
    assert.equal(status, 200);
    assert.deepEqual(body, { name: NAME, tags: ["10", "9", "B", "a", "b", "c"] });
    assert.equal(headers.link, undefined);
    assert.equal(headers["content-type"], "application/json");
  });

  test("pages of tags have a link to the next", async () => {
    const found: string[][] = [];
    for (let path: string | undefined = `/v2/${NAME}/tags/list?n=2`; path !== undefined; ) {
      const { body, headers } = await client.get(path);
      found.push(body.tags);
      path = /^<(.+)>; rel="next"$/.exec(headers.link ?? "")?.[1];
    }
    assert.deepEqual(found, [
      ["10", "9"],
      ["B", "a"],
      ["b", "c"],
    ]);
    assert.deepEqual((await tags("?last=B")).body.tags, ["a", "b", "c"]);
    assert.deepEqual((await tags("?n=1&last=between")).body.tags, ["c"]);
    assert.deepEqual((await tags("?last=zzz")).body.tags, []);
  });

  test("n=0 is an empty list without a link, other values are numbers", async () => {
    const { status, body, headers } = await tags("?n=0");
    assert.deepEqual([status, body.tags, headers.link], [200, [], undefined]);
    for (const n of ["-1", "x", "1.5", ""]) assert.equal((await tags(`?n=${n}`)).status, 400);
    assert.equal((await tags(`?n=${"9".repeat(400)}`)).body.tags.length, 6);
  });

  test("a deleted tag is not listed; a repository that does not exist has no list", async () => {
    await client.putManifest(NAME, "gone", image.bytes);
    await client.send("DELETE", `/v2/${NAME}/manifests/gone`);
    assert.ok(!(await tags()).body.tags.includes("gone"));
    const { status, code } = await client.get("/v2/acme/none/tags/list");
    assert.deepEqual([status, code], [404, "NAME_UNKNOWN"]);
  });

  test("there is no catalog", async () => {
    assert.equal((await client.get("/v2/_catalog")).status, 404);
  });

  const referrers = (digest: string, query = "") =>
    client.get(`/v2/${NAME}/referrers/${digest}${query}`);
  const subjectOf = ({ digest, bytes }: PushedImage) => ({
    mediaType: MANIFEST,
    digest,
    size: bytes.length,
  });

  test("referrers of a digest are an index, also an empty one", async () => {
    const { status, headers, body } = await referrers(sha256("nothing refers to this"));
    assert.deepEqual([status, headers["content-type"]], [200, INDEX]);
    assert.deepEqual(body, { schemaVersion: 2, mediaType: INDEX, manifests: [] });
    assert.equal((await referrers("sha256:short")).code, "DIGEST_INVALID");
  });

  test("a pushed subject is confirmed, and listed with type and annotations", async () => {
    const manifest = await client.manifestOf(NAME, "an attached artifact");
    const annotations = { created: "now" };
    const attached = { ...manifest, artifactType: SBOM, subject: subjectOf(image), annotations };
    const sent = Buffer.from(JSON.stringify(attached));
    const { status, headers } = await client.putManifest(NAME, sha256(sent), sent);
    assert.deepEqual([status, headers["oci-subject"]], [201, image.digest]);
    // Without an artifact type, that of the configuration counts; an index can be attached, too.
    const plain = Buffer.from(JSON.stringify({ ...manifest, subject: subjectOf(image) }));
    await client.putManifest(NAME, sha256(plain), plain);
    const index = { schemaVersion: 2, mediaType: INDEX, manifests: [], subject: subjectOf(image) };
    await client.putManifest(NAME, "index", index, INDEX);
    const { body } = await referrers(image.digest);
    assert.equal(body.manifests.length, 3);
    const found = (digest: string) =>
      body.manifests.find((one: { digest: string }) => one.digest === digest);
    assert.deepEqual(found(sha256(sent)), {
      mediaType: MANIFEST,
      digest: sha256(sent),
      size: sent.length,
      artifactType: SBOM,
      annotations,
    });
    assert.equal(found(sha256(plain)).artifactType, manifest.config.mediaType);
    const filtered = await referrers(image.digest, `?artifactType=${encodeURIComponent(SBOM)}`);
    assert.equal(filtered.headers["oci-filters-applied"], "artifactType");
    assert.deepEqual(
      filtered.body.manifests.map((one: { digest: string }) => one.digest),
      [sha256(sent)],
    );
    await client.send("DELETE", `/v2/${NAME}/manifests/${sha256(sent)}`);
    assert.equal((await referrers(image.digest)).body.manifests.length, 2);
  });

  test("large referrers come in pages", async () => {
    const subject = { mediaType: MANIFEST, digest: sha256("a subject elsewhere"), size: 1 };
    const manifest = await client.manifestOf(NAME, "large artifacts");
    const sent: string[] = [];
    for (let at = 0; at < 4; at++) {
      const annotations = { at: String(at), padding: "x".repeat(2 * 1024 * 1024) };
      const bytes = Buffer.from(JSON.stringify({ ...manifest, subject, annotations }));
      assert.equal((await client.putManifest(NAME, sha256(bytes), bytes)).status, 201);
      sent.push(sha256(bytes));
    }
    const found: string[] = [];
    let pages = 0;
    for (let path: string | undefined = `/v2/${NAME}/referrers/${subject.digest}`; path; pages++) {
      const { body, headers, bytes } = await client.get(path);
      assert.ok(bytes.length < 5 * 1024 * 1024);
      found.push(...body.manifests.map((one: { digest: string }) => one.digest));
      path = /^<(.+)>; rel="next"$/.exec(headers.link ?? "")?.[1];
    }
    assert.deepEqual(found, sent.sort());
    assert.ok(pages > 1);
  });
});
