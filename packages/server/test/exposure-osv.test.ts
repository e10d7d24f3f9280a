/** The query API of OSV over the advisories that a caller may list. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ANONYMOUS_UID } from "../src/auth/caller.ts";
import { importRecords, OsvClient } from "./support/exposure/osv-client.ts";
import { exposureIsSettled } from "./support/exposure/settled.ts";
import { osvRecord } from "./support/exposure/source-server.ts";
import { DirectStore } from "./support/server/direct-store.ts";
import { advisoryOf, writing } from "./support/world/advisories.ts";
import { FIXED } from "./support/world/feeds.ts";
import { onEachStore } from "./support/world/world.ts";

onEachStore("OSV queries", (world) => {
  /** An organization with records, and a client of a member that may list them. */
  const withRecords = async (...records: readonly object[]) => {
    const org = await world.organization();
    await importRecords(world, org, ...records);
    const { token } = await world.member({ [org]: ["advisories.list"] });
    return { org, osv: new OsvClient(world.server.url, token) };
  };

  test("find the records of a package and of its versions", async () => {
    const record = osvRecord("GHSA-2222-2222-2222", "npm", "@acme/left-pad", {
      aliases: ["CVE-2026-5001"],
    });
    const { osv } = await withRecords(record, osvRecord("GHSA-3333-3333-3333", "npm", "other"));
    const named = { name: "@acme/left-pad", ecosystem: "npm" };
    const all = ["GHSA-2222-2222-2222"];
    assert.deepEqual(await osv.ids({ package: named }), all);
    assert.deepEqual(await osv.ids({ package: named, version: "1.1.9" }), all);
    assert.deepEqual(await osv.ids({ package: { purl: "pkg:npm/%40acme/left-pad@1.1.9" } }), all);
    assert.deepEqual(
      await osv.ids({ package: { purl: "pkg:npm/%40acme/left-pad" }, version: "1.0.0" }),
      all,
    );
    const { status, body } = await osv.query({ package: named, version: "1.2.0" });
    assert.deepEqual([status, body], [200, {}]);
    const [found] = (await osv.query({ package: named })).body.vulns;
    const { affected, aliases, modified } = found;
    assert.deepEqual(
      { affected, aliases, modified },
      {
        affected: (record as { affected: unknown }).affected,
        aliases: ["CVE-2026-5001"],
        modified: "2026-01-02T00:00:00Z",
      },
    );
    assert.deepEqual((await osv.get("GHSA-2222-2222-2222")).body, found);
    const batch = await osv.batch([
      { package: { purl: "pkg:npm/none@1" } },
      { package: named, version: "1.0.0" },
      { package: named, version: "2.0.0" },
      { package: { purl: "pkg:unknown/x@1" } },
    ]);
    assert.deepEqual(batch.body, {
      results: [{}, { vulns: [{ id: found.id, modified }] }, {}, {}],
    });
  });

  test("respect the release of a distribution, and the source package", async () => {
    const { osv } = await withRecords(
      osvRecord("ALPINE-CVE-2026-1", "Alpine:v3.19", "openssl", { fixed: "3.1.4-r5" }),
      osvRecord("ALPINE-CVE-2026-2", "Alpine:v3.20", "openssl", { fixed: "3.3.0-r2" }),
      osvRecord("DEBIAN-CVE-2026-3", "Debian:12", "glibc", { fixed: "2.36-9+deb12u8" }),
    );
    const apk = (qualifiers: string) => ({
      package: { purl: `pkg:apk/alpine/openssl@3.1.0-r0${qualifiers}` },
    });
    const both = ["ALPINE-CVE-2026-1", "ALPINE-CVE-2026-2"];
    assert.deepEqual(await osv.ids(apk("?distro=alpine-3.19.1")), ["ALPINE-CVE-2026-1"]);
    assert.deepEqual(await osv.ids(apk("?distro=alpine-3.20")), ["ALPINE-CVE-2026-2"]);
    assert.deepEqual(await osv.ids(apk("?distro=alpine-3.18")), []);
    assert.deepEqual(await osv.ids(apk("")), both);
    const named = (ecosystem: string) => ({
      package: { name: "openssl", ecosystem },
      version: "3.1.0-r0",
    });
    assert.deepEqual(await osv.ids(named("Alpine:v3.20")), ["ALPINE-CVE-2026-2"]);
    assert.deepEqual(await osv.ids(named("Alpine")), both);
    assert.deepEqual(await osv.ids({ package: { name: "openssl", ecosystem: "Alpine:v3.19" } }), [
      "ALPINE-CVE-2026-1",
    ]);
    const deb = "pkg:deb/debian/libc6@2.36-9?distro=debian-12&upstream=glibc";
    assert.deepEqual(await osv.ids({ package: { purl: deb } }), ["DEBIAN-CVE-2026-3"]);
  });

  test("answer with records whose versions cannot be compared, and not with withdrawn ones", async () => {
    const { osv } = await withRecords(
      osvRecord("PYSEC-2026-1", "PyPI", "a-b", { fixed: "1.0" }),
      osvRecord("PYSEC-2026-2", "PyPI", "a-b", { withdrawn: "2026-01-02T00:00:00Z" }),
    );
    const ids = (version: string) =>
      osv.ids({ package: { name: "A_b", ecosystem: "PyPI" }, version });
    assert.deepEqual(await ids("0.9"), ["PYSEC-2026-1"]);
    assert.deepEqual(await ids("not a version"), ["PYSEC-2026-1"]);
    assert.deepEqual(await ids("1.0"), []);
    assert.equal((await osv.get("PYSEC-2026-2")).body.withdrawn, "2026-01-02T00:00:00Z");
  });

  test("find advisories that were written here", async () => {
    const org = await world.organization();
    const direct = await DirectStore.open(world.server);
    const advisory = { advisoryId: "CGA-2222-2222-2222", aliases: ["CVE-2026-1"], events: [FIXED] };
    await writing(direct, org, (writer) => writer.insert(advisoryOf(advisory)));
    await direct.close();
    await exposureIsSettled(world.server);
    const { token } = await world.member({ [org]: "viewer" });
    const osv = new OsvClient(world.server.url, token);
    const [distribution] = ["Wolfi", "Chainguard"].map((ecosystem) => ({
      name: "openssl",
      ecosystem,
    }));
    const found = await osv.query({ package: distribution, version: "3.4.0-r0" });
    assert.deepEqual(
      found.body.vulns?.map(({ id }: { id: string }) => id),
      ["CGA-2222-2222-2222"],
    );
    assert.deepEqual(await osv.ids({ package: distribution, version: "3.5.0-r0" }), []);
  });

  test("have pages, whose tokens belong to their query", async () => {
    const ids = Array.from(
      { length: 1_003 },
      (_, number) => `GHSA-${String(number).padStart(4, "0")}`,
    );
    const { osv } = await withRecords(...ids.map((id) => osvRecord(id, "npm", "popular")));
    const query = { package: { name: "popular", ecosystem: "npm" } };
    const first = await osv.query(query);
    const token = first.body.next_page_token;
    const second = await osv.query({ ...query, page_token: token });
    const found = [...first.body.vulns, ...second.body.vulns].map(({ id }) => id);
    assert.deepEqual([first.body.vulns.length, second.body.next_page_token], [1_000, undefined]);
    assert.deepEqual(found, ids);
    const { body } = await osv.batch([query, query, query, query]);
    assert.deepEqual(
      // biome-ignore lint/suspicious/noExplicitAny: an answer
      body.results.map(({ vulns = [], next_page_token: next }: any) => [
        vulns.length,
        next !== undefined,
      ]),
      [
        [1_000, true],
        [1_000, true],
        [1_000, true],
        [0, true],
      ],
    );
    const rest = await osv.batch([{ ...query, page_token: body.results[3].next_page_token }]);
    assert.equal(rest.body.results[0].vulns.length, 1_000);
    const foreign = await osv.query({ ...query, version: "1.0.0", page_token: token });
    assert.deepEqual([foreign.status, foreign.body.code], [400, 3]);
  });

  test("of invalid queries say why, in the format of OSV", async () => {
    const { osv } = await withRecords();
    const purl = "pkg:npm/x@1";
    for (const query of [
      "{",
      "[]",
      {},
      { version: "1" },
      { commit: "6879efc2c1596d11a6a6ad296f80063b558d5e0f", version: "1" },
      { package: { name: "x" } },
      { package: { ecosystem: "npm" } },
      { package: { purl, name: "x" } },
      { package: { purl, ecosystem: "npm" } },
      { package: { purl }, version: "1" },
      { package: { purl: "npm/x" } },
      { package: { name: 7, ecosystem: "npm" } },
      { package: { purl: "pkg:npm/x" }, page_token: "forged" },
    ]) {
      const { status, body } = await osv.query(query);
      assert.deepEqual(
        [status, body.code, typeof body.message],
        [400, 3, "string"],
        JSON.stringify(query),
      );
    }
    assert.equal((await osv.batch(Array(1_001).fill({ package: { purl } }))).status, 400);
    assert.equal((await osv.batch([{ package: { purl } }, {}])).status, 400);
    assert.deepEqual((await osv.batch([])).body, { results: [] });
    const missing = await osv.get("GHSA-none");
    assert.deepEqual([missing.status, missing.body], [404, { code: 5, message: "Bug not found." }]);
  });

  test("answer with nothing of advisories that the caller may not list", async () => {
    const query = { package: { name: "shared-package", ecosystem: "npm" } };
    const theirs = osvRecord("GHSA-9999-9999-9999", "npm", "shared-package");
    const { org } = await withRecords(theirs);
    // The same record, about another package, in another organization.
    const { osv } = await withRecords(osvRecord("GHSA-8888-8888-8888", "npm", "shared-package"), {
      ...osvRecord("GHSA-9999-9999-9999", "npm", "mine-only"),
    });
    assert.deepEqual(await osv.ids(query), ["GHSA-8888-8888-8888"]);
    const mine = await osv.get("GHSA-9999-9999-9999");
    assert.doesNotMatch(JSON.stringify(mine.body), /shared-package/);
    const outsider = await world.member({ [await world.organization()]: "owner" });
    const out = new OsvClient(world.server.url, outsider.token);
    assert.deepEqual((await out.query(query)).body, {});
    assert.deepEqual(await out.get("GHSA-9999-9999-9999"), await out.get("GHSA-0000-0000-0000"));
    assert.deepEqual((await out.batch([query])).body, { results: [{}] });
    // Groups below: rights at one of them.
    const below = await world.group(org);
    const { token } = await world.member({ [below]: ["advisories.list"] });
    assert.deepEqual(await new OsvClient(world.server.url, token).ids(query), []);
  });

  test("need credentials only where nothing is public", async () => {
    const anonymous = new OsvClient(world.server.url);
    const query = { package: { name: "open-package", ecosystem: "npm" } };
    const { status, body } = await anonymous.query(query);
    assert.deepEqual([status, body.code], [401, 16]);
    const { org } = await withRecords(osvRecord("GHSA-7777-7777-7777", "npm", "open-package"));
    const { osv } = await withRecords(osvRecord("GHSA-6666-6666-6666", "npm", "open-package"));
    const binding = await world.bind(org, ANONYMOUS_UID, ["advisories.list"]);
    assert.deepEqual(await anonymous.ids(query), ["GHSA-7777-7777-7777"]);
    assert.deepEqual(await osv.ids(query), ["GHSA-6666-6666-6666", "GHSA-7777-7777-7777"]);
    assert.equal((await anonymous.get("GHSA-6666-6666-6666")).status, 404);
    const wrong = await new OsvClient(world.server.url, "wrong").query(query);
    assert.equal(wrong.status, 401);
    await world.operator().roleBindings.delete(binding);
  });
});
