import assert from "node:assert/strict";
import { test } from "node:test";
import { create } from "@bufbuild/protobuf";
import { VulnerabilitySchema } from "@wharf/contract";
import { ANONYMOUS_UID } from "../src/auth/caller.ts";
import { saveVulnerabilities } from "../src/vulnerabilities/severities/vulnerability-writer.ts";
import { approved, type FeedAnswer, unzipped } from "./support/client/feed-client.ts";
import { StandInIssuer } from "./support/providers/issuer.ts";
import { writing, written } from "./support/world/advisories.ts";
import { feedsOf, ONE } from "./support/world/feeds.ts";
import { onEachStore } from "./support/world/world.ts";

const V3 = "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H";

onEachStore("advisory feeds over HTTP", (world) => {
  const feeds = feedsOf(world);

  test("are public only while anonymous callers can list advisories there", async () => {
    const group = await world.organization();
    await written(feeds.direct, group, ONE);
    const path = `${group}/osv/all.json`;
    const nowhere = `${"0".repeat(40)}/osv/all.json`;
    const refusals = [await feeds.scanner.get(path), await feeds.scanner.get(nowhere)];
    for (const { status, headers, json } of refusals) {
      assert.equal(status, 401);
      assert.equal(headers.get("www-authenticate"), 'Bearer, Basic realm="feeds"');
      assert.equal(headers.get("cache-control"), "no-store");
      assert.deepEqual(json, refusals[0]?.json);
    }
    const bearer = async (bound: Record<string, readonly string[]>) => ({
      authorization: `Bearer ${(await world.member(bound)).token}`,
    });
    const stranger = await bearer({});
    const unlike = (text: string) => text.replaceAll(group, "G").replaceAll("0".repeat(40), "G");
    const [hidden, missing] = [
      await feeds.scanner.get(path, stranger),
      await feeds.scanner.get(nowhere, stranger),
    ];
    assert.deepEqual([hidden.status, missing.status], [404, 404]);
    assert.equal(unlike(hidden.bytes.toString()), unlike(missing.bytes.toString()));
    assert.equal((await feeds.scanner.get(path, { authorization: "Bearer nonsense" })).status, 401);

    const reader = await feeds.scanner.get(path, await bearer({ [group]: ["advisories.list"] }));
    assert.equal(reader.json.length, 1);
    assert.equal(reader.headers.get("cache-control"), "private, no-cache");
    assert.equal(
      (await feeds.scanner.get(path, await bearer({ [group]: ["groups.list"] }))).status,
      404,
    );

    const binding = await world.bind(group, ANONYMOUS_UID, ["advisories.list"]);
    for (const headers of [{}, stranger]) {
      const open = await feeds.scanner.get(path, headers);
      assert.equal(open.json.length, 1);
      assert.equal(open.headers.get("cache-control"), "public, max-age=300");
    }
    await world.operator().roleBindings.delete(binding);
    assert.equal((await feeds.scanner.get(path)).status, 401);
    // A caller that can see a folder learns nothing about its ancestors.
    const folder = await world.group(group);
    await world.bind(folder, ANONYMOUS_UID, ["advisories.list"]);
    assert.equal((await feeds.scanner.get(`${folder}/osv/all.json`)).status, 200);
    assert.equal((await feeds.scanner.get(path)).status, 401);
  });

  test("accept a pull token as password, and tokens of the API", async () => {
    const issuer = await StandInIssuer.start();
    try {
      const group = await world.organization();
      await written(feeds.direct, group, ONE);
      const claims = { iss: "https://pull.example", sub: world.name("robot") };
      const expirationTime = new Date(Date.now() + 86_400_000).toISOString();
      const issuerKeys = JSON.stringify(issuer.jwks);
      const staticKeys = { issuer: claims.iss, subject: claims.sub, issuerKeys, expirationTime };
      const identities = world.operator().identities;
      const { uid } = await identities.create(group, { name: "robot", staticKeys });
      const password = await issuer.sign({ ...claims, exp: Math.floor(Date.now() / 1_000) + 600 });
      const get = (user: string, secret: string, path = `${group}/osv/all.json`) =>
        feeds.scanner.get(path, { authorization: `Basic ${btoa(`${user}:${secret}`)}` });
      assert.equal((await get(uid, password)).status, 404, "without advisories.list");
      await world.bind(group, uid, "advisories.viewer");
      const read = await get(uid, password);
      assert.deepEqual([read.status, read.json.length], [200, 1]);
      assert.equal(read.headers.get("cache-control"), "private, no-cache");
      assert.equal((await get(uid.replaceAll("/", "_"), password)).status, 200);
      assert.ok((await identities.get(uid)).lastSeenTime);
      const member = await world.member({ [group]: ["advisories.list"] });
      assert.equal((await get("_token", member.token)).status, 200);
      const other = await world.member({});
      const [head, body] = password.split(".") as [string, string];
      for (const [user, secret] of [
        [uid, `${head}.${body}.AAAA`],
        [uid, member.token],
        [uid, ""],
        [other.uid, password],
        ["robot", password],
        ["_token", password],
        ["_token", ""],
      ] as const) {
        const denied = await get(user, secret);
        assert.equal(denied.status, 401, `${user}:${secret}`);
        assert.equal(denied.headers.get("www-authenticate"), 'Bearer, Basic realm="feeds"');
      }
      const digest = await feeds.scanner.get(`${group}/osv/all.json`, {
        authorization: "Digest x",
      });
      assert.equal(digest.status, 401);
      await identities.delete(uid);
      assert.equal((await get(uid, password)).status, 401);
    } finally {
      await issuer.stop();
    }
  });

  test("answer 304 until advisories, severities or names change", async () => {
    const group = await feeds.publicGroup(ONE);
    const folder = await world.group(group);
    const path = `${group}/osv/${ONE.advisoryId}.json`;
    let { etag } = await tagged(path);
    const changes: (() => Promise<unknown>)[] = [
      () => written(feeds.direct, group, { ...ONE, advisoryId: "CGA-5555-5555-5555" }),
      () => written(feeds.direct, folder, { ...ONE, advisoryId: "CGA-6666-6666-6666" }),
      () =>
        writing(feeds.direct, group, async (writer) =>
          writer.update({
            ...((await writer.find(ONE.advisoryId)) ?? assert.fail()),
            author: "other@example.com",
          }),
        ),
      () => severity(group, "CVE-2026-0001"),
      () => severity(folder, "CVE-2026-0001"),
      () => world.operator().groups.update(group, { name: world.name("renamed") }),
    ];
    for (const change of changes) {
      const kept = await feeds.scanner.get(path, { "if-none-match": `W/"x", ${etag}` });
      assert.deepEqual([kept.status, kept.bytes.length], [304, 0]);
      assert.equal(kept.headers.get("etag"), etag);
      assert.equal(kept.headers.get("cache-control"), "public, max-age=300");
      await change();
      const sent = await feeds.scanner.get(path, { "if-none-match": etag });
      assert.equal(sent.status, 200, String(change));
      etag = sent.headers.get("etag") ?? assert.fail();
    }
    assert.deepEqual((await feeds.scanner.get(path)).json.severity, [
      { type: "CVSS_V3", score: V3 },
    ]);
    assert.notEqual((await tagged(`${group}/osv/all.json`)).etag, etag);

    async function severity(place: string, id: string): Promise<void> {
      const severities = [{ type: 2, score: V3 }];
      const known = create(VulnerabilitySchema, { id, severities });
      assert.equal(
        await writing(feeds.direct, place, (writer) => saveVulnerabilities(writer, [known])),
        1,
      );
    }
  });

  async function tagged(path: string): Promise<{ etag: string; date: string }> {
    // Last-Modified is sent once its second is over.
    for (;;) {
      const { headers } = await feeds.scanner.get(path, {}, "HEAD");
      const [etag, date] = [headers.get("etag"), headers.get("last-modified")];
      if (etag !== null && date !== null) return { etag, date };
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  test("keep archives until they change, for those who may read them", async () => {
    const group = await world.organization();
    await written(feeds.direct, group, ONE);
    const reader = await world.member({ [group]: ["advisories.list"] });
    const headers = { authorization: `Bearer ${reader.token}` };
    const stranger = { authorization: `Bearer ${(await world.member()).token}` };
    for (const name of ["osv/all.zip", "osv/all.tar.gz", "openvex/all.zip", "csaf/all.zip"]) {
      const path = `${group}/${name}`;
      const read = async (given: Record<string, string>, method?: string) => {
        const answer = await feeds.scanner.get(path, given, method);
        assert.equal(answer.status, 200, path);
        return answer;
      };
      // The answer has a length once the archive is cached; that of another one has none.
      const lengthOf = (answer: FeedAnswer) => answer.headers.get("content-length");
      const first = await read(headers);
      assert.equal(lengthOf(first), null);
      const second = await read(headers);
      assert.deepEqual(second.bytes, first.bytes);
      assert.equal(lengthOf(second), String(first.bytes.length));
      assert.equal(second.headers.get("etag"), first.headers.get("etag"));
      assert.equal(lengthOf(await read(headers, "HEAD")), lengthOf(second));
      const etag = first.headers.get("etag") as string;
      const conditional = { ...headers, "if-none-match": etag };
      assert.equal((await feeds.scanner.get(path, conditional)).status, 304);
      assert.equal((await feeds.scanner.get(path)).status, 401);
      assert.equal((await feeds.scanner.get(path, stranger)).status, 404);
      // The public content differs from that of members, so the answer says so.
      const binding = await world.bind(group, ANONYMOUS_UID, ["advisories.list"]);
      const open = await read({});
      assert.equal(lengthOf(open), null);
      assert.notEqual(open.headers.get("etag"), etag);
      await world.operator().roleBindings.delete(binding);
      assert.equal((await feeds.scanner.get(path)).status, 401);
      assert.deepEqual((await read(headers)).bytes, first.bytes);
    }
    const path = `${group}/osv/all.zip`;
    const before = await feeds.scanner.get(path, headers);
    const another = { ...ONE, advisoryId: "CGA-3333-3333-3333", aliases: ["CVE-2026-0002"] };
    await written(feeds.direct, group, another);
    const after = await feeds.scanner.get(path, headers);
    assert.equal(after.headers.get("content-length"), null);
    assert.equal((await unzipped(before.bytes)).size + 1, (await unzipped(after.bytes)).size);
    assert.deepEqual((await feeds.scanner.get(path, headers)).bytes, after.bytes);
  });

  test("support If-Modified-Since; ETags take precedence", async () => {
    const group = await feeds.publicGroup(ONE);
    const path = `${group}/openvex/all.json`;
    const { etag, date } = await tagged(path);
    const get = async (headers: Record<string, string>) =>
      (await feeds.scanner.get(path, headers)).status;
    assert.equal(await get({ "if-modified-since": date }), 304);
    const earlier = new Date(Date.parse(date) - 1_000).toUTCString();
    assert.equal(await get({ "if-modified-since": earlier }), 200);
    assert.equal(await get({ "if-modified-since": "yesterday" }), 200);
    assert.equal(await get({ "if-modified-since": date, "if-none-match": '"other"' }), 200);
    assert.equal(await get({ "if-modified-since": earlier, "if-none-match": etag }), 304);
    await written(feeds.direct, group, { ...ONE, advisoryId: "CGA-7777-7777-7777" });
    assert.equal(await get({ "if-modified-since": date }), 200);
  });

  test("are compressed if accepted, with their own ETag, and answer HEAD", async () => {
    const note = "long enough to be worth packing. ".repeat(50);
    const group = await feeds.publicGroup({
      ...ONE,
      events: [approved({ pendingUpstreamFix: { note } })],
    });
    const paths = [
      ...["osv/all.json", `osv/${ONE.advisoryId}.json`, "osv/all.zip", "osv/all.tar.gz"],
      ...["osv/modified_id.csv", "csaf/changes.csv"],
    ];
    for (const path of paths) {
      const plain = await feeds.scanner.get(`${group}/${path}`, { "accept-encoding": "identity" });
      const packed = await feeds.scanner.get(`${group}/${path}`, { "accept-encoding": "gzip" });
      assert.deepEqual(packed.bytes, plain.bytes);
      const isZip = /\.(zip|gz)$/.test(path);
      assert.equal(packed.headers.get("content-encoding"), isZip ? null : "gzip", path);
      const tags = [plain, packed].map(({ headers }) => headers.get("etag") as string);
      assert.equal(new Set(tags).size, isZip ? 1 : 2);
      for (const tag of tags) {
        assert.equal(
          (await feeds.scanner.get(`${group}/${path}`, { "if-none-match": tag })).status,
          304,
        );
      }
      const head = await feeds.scanner.get(
        `${group}/${path}`,
        { "accept-encoding": "identity" },
        "HEAD",
      );
      assert.deepEqual([head.status, head.bytes.length], [200, 0]);
      assert.equal(head.headers.get("etag"), tags[0]);
      assert.equal(head.headers.get("content-type"), plain.headers.get("content-type"));
      const isDocument = path.startsWith("osv/CGA");
      // Archives are cached.
      const size = isDocument || isZip ? String(plain.bytes.length) : null;
      assert.equal(head.headers.get("content-length"), size, "long files are not made for a head");
    }
  });

  test("answering 304 takes no slot of concurrent feeds", async () => {
    const group = await feeds.publicGroup(ONE);
    const path = `${group}/openvex/all.json`;
    const etag = (await feeds.scanner.get(path)).headers.get("etag") as string;
    for (let count = 0; count < 10; count++) {
      assert.equal((await feeds.scanner.get(path, { "if-none-match": etag })).status, 304);
    }
    assert.equal((await feeds.scanner.get(path)).status, 200);
  });
});
