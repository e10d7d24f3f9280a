import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { OciClient, sha256 } from "./support/registry/oci-client.ts";
import { rawRows } from "./support/server/direct-store.ts";
import { until } from "./support/until.ts";
import { World } from "./support/world/world.ts";

const NAME = "acme/app";
const UPLOADS = `/v2/${NAME}/blobs/uploads/`;
const CONTENT = "the content of a blob";
const DIGEST = sha256(CONTENT);

for (const http2 of [false, true]) {
  describe(`uploads to the registry, over HTTP/${http2 ? 2 : 1.1}`, () => {
    let world: World;
    let client: OciClient;
    before(async () => {
      world = await World.start({ registry: true });
      const token = await world.signer.token(
        await world.registry.holder("pusher", "registry.push"),
      );
      client = new OciClient(world.server.url, `Bearer ${token}`, { http2 });
    });
    after(async () => {
      client.close();
      await world.stop();
    });

    const patch = (location: string, body: string, range?: string, isChunked = false) =>
      client.send("PATCH", location, {
        body,
        isChunked,
        headers: range === undefined ? {} : { "content-range": range },
      });
    const put = (location: string, digest = DIGEST, body = "", isChunked = false) =>
      client.send("PUT", `${location}?digest=${digest}`, { body, isChunked });
    const pulled = async (digest: string) =>
      (await client.get(`/v2/${NAME}/blobs/${digest}`)).bytes.toString();
    /** Parts on the disk. */
    const files = () => readdirSync(join(world.server.data, "registry/uploads")).length;

    test("begin with 202, a location and an empty range", async () => {
      const { status, headers } = await client.send("POST", UPLOADS);
      assert.equal(status, 202);
      assert.match(headers.location ?? "", new RegExp(`^${UPLOADS}[0-9a-f-]{36}$`));
      assert.equal(headers.range, "0-0");
      assert.ok(headers.location?.endsWith(headers["docker-upload-uuid"] ?? "?"));
      assert.equal((await client.send("POST", UPLOADS.slice(0, -1))).status, 202);
    });

    test("one request with the whole blob", async () => {
      for (const [at, isChunked] of [false, true].entries()) {
        const body = `${CONTENT} in one request ${at}`;
        const path = `${UPLOADS}?digest=${sha256(body)}`;
        const { status, headers } = await client.send("POST", path, { body, isChunked });
        assert.equal(status, 201);
        assert.equal(headers.location, `/v2/${NAME}/blobs/${sha256(body)}`);
        assert.equal(await pulled(sha256(body)), body);
      }
      const wrong = await client.send("POST", `${UPLOADS}?digest=${DIGEST}`, { body: "other" });
      assert.deepEqual([wrong.status, wrong.code], [400, "DIGEST_INVALID"]);
      const none = await client.send("POST", `${UPLOADS}?digest=nonsense`, { body: "other" });
      assert.deepEqual([none.status, none.code], [400, "DIGEST_INVALID"]);
      // Without a body it begins an upload.
      assert.equal((await client.send("POST", `${UPLOADS}?digest=${DIGEST}`)).status, 202);
    });

    test("POST and PUT, with and without a length", async () => {
      for (const [at, isChunked] of [false, true].entries()) {
        const body = `${CONTENT} in two requests ${at}`;
        const answer = await put(await client.begin(NAME), sha256(body), body, isChunked);
        assert.deepEqual(
          [answer.status, answer.headers["docker-content-digest"]],
          [201, sha256(body)],
        );
        assert.equal(await pulled(sha256(body)), body);
      }
    });

    test("a stream and an empty PUT", async () => {
      const body = `${CONTENT} as a stream`;
      const location = await client.begin(NAME);
      const { status, headers } = await patch(location, body, undefined, true);
      assert.deepEqual([status, headers.range], [202, `0-${body.length - 1}`]);
      assert.equal((await put(headers.location ?? "", sha256(body))).status, 201);
      assert.equal(await pulled(sha256(body)), body);
    });

    test("chunks with ranges of either form, the last one with the PUT", async () => {
      const location = await client.begin(NAME);
      assert.equal((await patch(location, "first ", "0-5")).headers.range, "0-5");
      assert.equal((await patch(location, "second ", "bytes 6-12/*")).headers.range, "0-12");
      const progress = await client.get(location);
      assert.deepEqual([progress.status, progress.headers.range], [204, "0-12"]);
      assert.equal(progress.headers.location, location);
      const answer = await client.send(
        "PUT",
        `${location}?digest=${sha256("first second third")}`,
        {
          body: "third",
          headers: { "content-range": "13-17" },
        },
      );
      assert.equal(answer.status, 201);
      assert.equal(await pulled(sha256("first second third")), "first second third");
      assert.equal((await client.get(location)).code, "BLOB_UPLOAD_UNKNOWN");
    });

    test("chunks are rows that are written once, and gone with their upload", async () => {
      const rows = () =>
        rawRows<{ position: number; size: number }>(
          world.server,
          "SELECT position, size FROM upload_parts ORDER BY position",
        );
      const before = (await rows()).length;
      const location = await client.begin(NAME);
      const chunks = Array.from({ length: 12 }, (_, at) => `${at},`);
      for (const chunk of chunks) assert.equal((await patch(location, chunk)).status, 202);
      const content = chunks.join("");
      const sizes = (await rows()).slice(before).map(({ size }) => size);
      assert.deepEqual(
        sizes,
        chunks.map((chunk) => chunk.length),
      );
      assert.equal((await put(location, sha256(content))).status, 201);
      assert.equal(await pulled(sha256(content)), content);
      assert.equal((await rows()).length, before);
    });

    test("a chunk out of order is 416, and says where to go on", async () => {
      const location = await client.begin(NAME);
      await patch(location, "0123456789", "0-9");
      for (const [body, range] of [
        ["0123456789", "0-9"],
        ["x", "5-5"],
        ["x", "11-11"],
      ] as const) {
        const { status, headers, code } = await patch(location, body, range);
        assert.deepEqual([status, code, headers.range], [416, "RANGE_INVALID", "0-9"]);
        assert.equal(headers.location, location);
      }
      assert.equal((await put(location, sha256("0123456789"))).status, 201);
    });

    test("a chunk that is longer or shorter than its range changes nothing", async () => {
      const location = await client.begin(NAME);
      const parts = files();
      for (const [range, body] of [
        ["0-3", "longer"],
        ["0-9", "shorter"],
        ["5-0", "backwards"],
        ["none", "malformed"],
      ] as const) {
        for (const isChunked of [false, true]) {
          const { status, code } = await patch(location, body, range, isChunked);
          assert.ok([400, 416].includes(status), `${range}: ${status} ${code}`);
        }
      }
      assert.equal((await client.get(location)).headers.range, "0-0");
      await until(async () => files() === parts);
    });

    test("of concurrent chunks one is appended", async () => {
      const location = await client.begin(NAME);
      const bodies = ["aaaa", "bbbb", "cccc", "dddd"];
      const answers = await Promise.all(bodies.map((body) => patch(location, body, "0-3")));
      const won = bodies.filter((_, at) => answers[at]?.status === 202);
      assert.equal(won.length, 1);
      assert.equal(answers.filter(({ status }) => status === 416).length, 3);
      assert.equal((await put(location, sha256(won[0] ?? ""))).status, 201);
    });

    test("of concurrent PUTs one makes the blob, the others find no upload", async () => {
      const location = await client.begin(NAME);
      await patch(location, "finished ");
      await patch(location, "once");
      const digest = sha256("finished once");
      const answers = await Promise.all([1, 2, 3, 4].map(() => put(location, digest)));
      const statuses = answers.map(({ status }) => status).sort();
      assert.deepEqual(statuses, [201, 404, 404, 404]);
      assert.equal(await pulled(digest), "finished once");
    });

    test("a wrong digest is 400, and the upload goes on", async () => {
      const location = await client.begin(NAME);
      await patch(location, CONTENT);
      const wrong = await put(location, sha256("another"));
      assert.deepEqual([wrong.status, wrong.code], [400, "DIGEST_INVALID"]);
      assert.equal((await client.send("PUT", location)).code, "DIGEST_INVALID");
      assert.equal((await put(location)).status, 201);
      assert.equal(await pulled(DIGEST), CONTENT);
    });

    test("a wrong digest of an empty upload leaves no file", async () => {
      const parts = files();
      const wrong = await put(await client.begin(NAME), sha256("not empty"));
      assert.deepEqual([wrong.status, wrong.code], [400, "DIGEST_INVALID"]);
      assert.equal(files(), parts);
    });

    test("are canceled with their files", async () => {
      const parts = files();
      const location = await client.begin(NAME);
      await patch(location, CONTENT);
      assert.equal(files(), parts + 1);
      assert.equal((await client.send("DELETE", location)).status, 204);
      assert.equal(files(), parts);
      for (const answer of [
        await client.get(location),
        await patch(location, "x"),
        await put(location),
        await client.send("DELETE", location),
      ]) {
        assert.equal(answer.status, 404);
      }
    });

    test("ids that are none are unknown uploads", async () => {
      for (const id of ["x", "..", "0".repeat(36), crypto.randomUUID()]) {
        const { status, code } = await patch(`${UPLOADS}${id}`, "x");
        assert.deepEqual([id, status, code], [id, 404, "BLOB_UPLOAD_UNKNOWN"]);
      }
    });
  });
}
