import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { test } from "node:test";
import type { JsonObject } from "@bufbuild/protobuf";
import { assertValid } from "../../advisories/test/schemas.ts";
import { ANONYMOUS_UID } from "../src/auth/caller.ts";
import { approved, untarred, unzipped } from "./support/client/feed-client.ts";
import { advisoryOf, writing, written } from "./support/world/advisories.ts";
import { FIXED, feedsOf, ONE } from "./support/world/feeds.ts";
import { onEachStore } from "./support/world/world.ts";

/** Asserts the required fields of a ROLIE feed of CSAF documents. */
function assertRolie({ feed }: { feed: JsonObject & { entry: JsonObject[] } }): void {
  const required = ["id", "title", "link", "category", "updated", "entry"];
  assert.deepEqual(Object.keys(feed), required);
  assert.deepEqual(feed.category, [
    { scheme: "urn:ietf:params:rolie:category:information-type", term: "csaf" },
  ]);
  for (const entry of feed.entry) {
    const fields = ["id", "title", "link", "published", "updated", "content", "format"];
    assert.deepEqual(Object.keys(entry), fields);
  }
}

onEachStore("advisory feeds", (world) => {
  const feeds = feedsOf(world);

  test("have every file, each valid against the schema of its format", async () => {
    const group = await feeds.publicGroup(
      ONE,
      {
        ...ONE,
        advisoryId: "CGA-3333-3333-3333",
        artifactName: "gtk+3.0",
        aliases: ["CVE-2026-0002"],
      },
      { ...ONE, advisoryId: "ACME-7", events: [approved({ falsePositiveDetermination: {} })] },
      {
        ...ONE,
        advisoryId: "CGA-hidden",
        events: [{ ...FIXED, reviewState: "REVIEW_STATE_PENDING" }],
      },
    );
    const index = (await feeds.scanner.get(`${group}/osv/all.json`)).json;
    const ids = index.map(({ id }: { id: string }) => id);
    assert.deepEqual(ids, ["CGA-2222-2222-2222", "CGA-3333-3333-3333", "x_ACME-7"]);
    for (const { id, modified } of index) {
      const document = (await feeds.scanner.get(`${group}/osv/${id}.json`)).json;
      assertValid("osv", document);
      assert.deepEqual([document.id, document.modified], [id, modified]);
    }
    const archive = await unzipped((await feeds.scanner.get(`${group}/osv/all.zip`)).bytes);
    assert.deepEqual(
      [...archive.keys()],
      ids.map((id: string) => `${id}.json`),
    );
    for (const text of archive.values()) assertValid("osv", JSON.parse(text));
    const tar = await feeds.scanner.get(`${group}/osv/all.tar.gz`);
    assert.equal(tar.headers.get("content-type"), "application/gzip");
    assert.deepEqual(await untarred(tar.bytes), archive);
    assert.deepEqual((await feeds.scanner.get(`${group}/osv/all.tar.gz`)).bytes, tar.bytes);

    const secdb = (await feeds.scanner.get(`${group}/secdb/security.json`)).json;
    assert.deepEqual(
      secdb.packages.map((one: { pkg: { name: string } }) => one.pkg.name),
      ["gtk+3.0", "openssl"],
    );
    assert.deepEqual(
      (await feeds.scanner.get(`${group}/secdb/aarch64/security.json`)).json.packages,
      [],
    );

    assertValid("openvex", (await feeds.scanner.get(`${group}/openvex/all.json`)).json);
    const repository = await unzipped((await feeds.scanner.get(`${group}/openvex/all.zip`)).bytes);
    const { packages } = JSON.parse(repository.get("index.json") as string);
    assert.deepEqual(packages[0], {
      id: "pkg:apk/wolfi/gtk%2B3.0",
      location: "pkg/apk/gtk%2B3.0/vex.json",
      format: "openvex",
    });
    for (const { location } of packages) {
      const document = JSON.parse(repository.get(location) as string);
      assertValid("openvex", document);
      const served = await feeds.scanner.get(
        `${group}/openvex/${encodeURI(location)}`.replaceAll("%252B", "%2B"),
      );
      assert.deepEqual(served.json, document);
      assert.equal(document["@id"], `${world.server.url}/feeds/${group}/openvex/${location}`);
    }
    const manifest = await feeds.scanner.get(`${group}/openvex/.well-known/vex-repository.json`);
    const { name, description, ...rest } = manifest.json;
    assert.deepEqual([typeof name, typeof description], ["string", "string"]);
    const url = `${world.server.url}/feeds/${group}/openvex/all.zip`;
    assert.deepEqual(rest, {
      versions: [{ spec_version: "0.1", locations: [{ url }], update_interval: "24h" }],
    });

    const listed = (await feeds.scanner.get(`${group}/csaf/index.txt`)).bytes.toString();
    const year = new Date().getUTCFullYear();
    assert.equal(listed, `${year}/apk-gtk+2b3+2e0.json\n${year}/apk-openssl.json\n`);
    for (const path of listed.trim().split("\n")) {
      assertValid("csaf", (await feeds.scanner.get(`${group}/csaf/${path}`)).json);
    }
    assert.deepEqual(
      [...(await unzipped((await feeds.scanner.get(`${group}/csaf/all.zip`)).bytes)).keys()],
      listed.trim().split("\n"),
    );
    assert.equal((await feeds.scanner.get(`${group}/csaf/1999/apk-openssl.json`)).status, 404);
    const rolie = (await feeds.scanner.get(`${group}/csaf/csaf-feed-tlp-white.json`)).json;
    assertRolie(rolie);
    assert.equal((await feeds.scanner.get(`${group}/csaf/csaf-feed-tlp-amber.json`)).status, 404);
    const base = `${world.server.url}/feeds/${group}`;
    assert.deepEqual(
      rolie.feed.entry.map(({ content }: { content: { src: string } }) => content.src),
      listed
        .trim()
        .split("\n")
        .map((path) => `${base}/csaf/${path}`),
    );
    for (const { id, content, link } of rolie.feed.entry) {
      const { bytes, json } = await feeds.scanner.get(
        content.src.slice(`${base.slice(0, -group.length)}`.length),
      );
      assert.equal(json.document.tracking.id, id);
      const hashes = link.filter(({ rel }: { rel: string }) => rel === "hash");
      assert.equal(hashes.length, 2);
      for (const { href } of hashes) {
        const [, algorithm = ""] = /\.(sha256|sha512)$/.exec(href) ?? [];
        const file = await fetch(href);
        const name = content.src.split("/").at(-1);
        assert.equal(await file.text(), `${hash(algorithm, bytes)}  ${name}\n`);
      }
    }
    assert.equal(
      (await feeds.scanner.get(`${group}/csaf/1999/apk-openssl.json.sha256`)).status,
      404,
    );
    const changes = (await feeds.scanner.get(`${group}/csaf/changes.csv`)).bytes.toString();
    assert.equal(changes.trim().split("\n").length, 2);
    const provider = (await feeds.scanner.get(`${group}/csaf/provider-metadata.json`)).json;
    assert.deepEqual(provider.distributions, [
      { directory_url: `${base}/csaf/` },
      {
        rolie: {
          feeds: [
            {
              summary: `All CSAF documents of ${provider.publisher.name}`,
              tlp_label: "WHITE",
              url: `${base}/csaf/csaf-feed-tlp-white.json`,
            },
          ],
        },
      },
    ]);
    assert.equal(
      provider.canonical_url,
      `${world.server.url}/feeds/${group}/csaf/provider-metadata.json`,
    );
  });

  test("include folders below, each id once, and withdraw deleted advisories", async () => {
    const group = await feeds.publicGroup(ONE);
    const folder = await world.group(group, "team");
    await written(
      feeds.direct,
      folder,
      { ...ONE, artifactName: "other" },
      { ...ONE, advisoryId: "CGA-4444-4444-4444", artifactName: "zlib" },
    );
    const ids = async (of: string) =>
      (await feeds.scanner.get(`${of}/osv/all.json`)).json.map(({ id }: { id: string }) => id);
    assert.deepEqual(await ids(group), ["CGA-2222-2222-2222", "CGA-4444-4444-4444"]);
    assert.deepEqual(await ids(`${group}/team`), await ids(folder));
    assert.equal(
      (await feeds.scanner.get(`${group}/osv/${ONE.advisoryId}.json`)).json.affected[0].package
        .name,
      "openssl",
    );
    await writing(feeds.direct, folder, async (writer) => {
      const found = await writer.find("CGA-4444-4444-4444");
      await writer.delete(found ?? assert.fail());
    });
    const gone = (await feeds.scanner.get(`${group}/osv/CGA-4444-4444-4444.json`)).json;
    assertValid("osv", gone);
    assert.equal(gone.withdrawn, gone.modified);
    assert.deepEqual(await ids(group), ["CGA-2222-2222-2222", "CGA-4444-4444-4444"]);
    for (const path of ["openvex/all.json", "secdb/security.json", "csaf/index.txt"]) {
      const { bytes } = await feeds.scanner.get(`${group}/${path}`);
      assert.match(bytes.toString(), /openssl/);
      assert.doesNotMatch(bytes.toString(), /zlib/, path);
    }
  });

  test("list changes of OSV documents, latest first", async () => {
    const [A, B, C] = ["CGA-2222-2222-2222", "CGA-3333-3333-3333", "CGA-4444-4444-4444"];
    const group = await feeds.publicGroup({ ...ONE, advisoryId: A }, { ...ONE, advisoryId: B });
    await written(feeds.direct, group, { ...ONE, advisoryId: C });
    await written(feeds.direct, group, { ...ONE, advisoryId: 'ACME "7", x' });
    await writing(feeds.direct, group, async (writer) =>
      writer.update({ ...((await writer.find(A)) ?? assert.fail()), author: "x@example.com" }),
    );
    const index = (await feeds.scanner.get(`${group}/osv/all.json`)).json;
    const times = new Map(
      index.map(({ id, modified }: { id: string; modified: string }) => [id, modified]),
    );
    const lines = (await feeds.scanner.get(`${group}/osv/modified_id.csv`)).bytes.toString();
    const odd = 'x_ACME "7", x';
    assert.equal(
      lines,
      [
        `${times.get(A)},${A}`,
        `${times.get(odd)},"x_ACME ""7"", x"`,
        `${times.get(C)},${C}`,
        `${times.get(B)},${B}`,
        "",
      ].join("\n"),
    );
  });

  test("have documents with long names", async () => {
    const [advisoryId, artifactName] = [`CGA-${"2".repeat(200)}`, "n".repeat(200)];
    const group = await feeds.publicGroup({ ...ONE, advisoryId, artifactName });
    const document = await feeds.scanner.get(`${group}/osv/${advisoryId}.json`);
    assert.deepEqual([document.status, document.json.id], [200, advisoryId]);
    const vex = await feeds.scanner.get(`${group}/openvex/pkg/apk/${artifactName}/vex.json`);
    assert.deepEqual([vex.status, vex.json.statements.length], [200, 1]);
    const lines = (await feeds.scanner.get(`${group}/csaf/index.txt`)).bytes.toString().trim();
    assert.equal((await feeds.scanner.get(`${group}/csaf/${lines}`)).status, 200);
  });

  test("answer 404 for other names", async () => {
    const group = await feeds.publicGroup();
    const missing = [
      "osv/CGA-0000-0000-0000.json",
      "osv/",
      "osv/.json",
      "osv/a/b.json",
      "osv",
      "csaf/2026/apk-openssl.json",
      "csaf/2026/..%2f..json",
      "openvex/all.json",
      "openvex/pkg/apk/openssl/vex.json",
      "secdb/x86_64/other.json",
      "nothing/all.json",
      "osv/%ff.json",
    ];
    for (const path of missing) {
      const since = { "if-modified-since": new Date(Date.now() + 5_000).toUTCString() };
      assert.equal((await feeds.scanner.get(`${group}/${path}`, since)).status, 404, path);
      const { status, json } = await feeds.scanner.get(`${group}/${path}`);
      assert.deepEqual([status, json.code], [404, 5], path);
    }
    for (const path of ["osv/all.json", "csaf/index.txt", "openvex/index.json", "osv/all.zip"]) {
      assert.equal((await feeds.scanner.get(`${group}/${path}`)).status, 200, path);
    }
    assert.deepEqual((await feeds.scanner.get(`${group}/osv/all.json`)).json, []);
    assert.equal((await feeds.scanner.get(`${group}/osv/all.json`, {}, "POST")).status, 405);
  });

  test("are found by the verified name of the organization", async () => {
    const name = `${world.name("acme")}.example.com`;
    const group = await world.organization(name);
    await world.operator().groups.update(group, { verified: true });
    await world.group(group, "osv");
    await world.bind(group, ANONYMOUS_UID, ["advisories.list"]);
    await written(feeds.direct, group, ONE);
    assert.equal((await feeds.scanner.get(`${name}/osv/all.json`)).json.length, 1);
    assert.equal((await feeds.scanner.get(`${name}/osv/osv/all.json`)).json.length, 0);
    assert.equal((await feeds.scanner.get(`${name}/nobody/osv/all.json`)).status, 401);
  });

  test("with advisories of many packages stay in order", async () => {
    const names = Array.from({ length: 603 }, (_, at) => `p${(at * 7) % 201}`);
    const group = await world.organization();
    await world.bind(group, ANONYMOUS_UID, ["advisories.list"]);
    await writing(feeds.direct, group, async (writer) => {
      for (const [at, artifactName] of names.entries()) {
        await writer.insert(
          advisoryOf({
            ...ONE,
            advisoryId: `CGA-${at}`,
            aliases: [`CVE-2026-${1_000 + at}`],
            artifactName,
          }),
        );
      }
    });
    const index = (await feeds.scanner.get(`${group}/osv/all.json`)).json;
    assert.equal(new Set(index.map(({ id }: { id: string }) => id)).size, names.length);
    const { packages } = (await feeds.scanner.get(`${group}/secdb/security.json`)).json;
    const sorted = packages.map((one: { pkg: { name: string } }) => one.pkg.name);
    assert.deepEqual(sorted, [...new Set(names)].sort());
    for (const { pkg } of packages) assert.equal(pkg.secfixes["3.5.0-r0"].length, 3);
  });
});
