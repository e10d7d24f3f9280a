import assert from "node:assert/strict";
import { before } from "node:test";
import { type JsonObject, toJson } from "@bufbuild/protobuf";
import { readDocument } from "@wharf/advisories/read";
import { AdvisoryDocumentSchema } from "@wharf/contract";
import { isAffected, type OsvRecord } from "../../advisories/test/osv-oracle.ts";
import { ANONYMOUS_UID } from "../src/auth/caller.ts";
import type { ApiClient } from "./support/client/api-client.ts";
import { Scanner, untarred, unzipped } from "./support/client/feed-client.ts";
import { rawRows } from "./support/server/direct-store.ts";
import { onEachStore } from "./support/world/world.ts";

const V3 = "CVSS:3.1/AV:N/AC:L/PR:N/UI:R/S:C/C:L/I:L/A:N";

/** In the form of a record of a database of libraries. */
const RECORD = {
  schema_version: "1.6.1",
  id: "GHSA-4x9r-j582-cgr8",
  published: "2025-03-01T09:00:00Z",
  modified: "2025-03-05T22:10:11.372001Z",
  aliases: ["CVE-2025-20333"],
  related: ["CVE-2025-20334"],
  summary: "Cross-site scripting in a template helper",
  details: "Values of `data-` attributes are not escaped.",
  severity: [{ type: "CVSS_V3", score: V3 }],
  affected: [
    {
      package: { ecosystem: "npm", name: "@acme/templates", purl: "pkg:npm/%40acme/templates" },
      ranges: [
        { type: "SEMVER", events: [{ introduced: "1.2.0" }, { fixed: "1.4.7" }] },
        { type: "SEMVER", events: [{ introduced: "2.0.0" }, { fixed: "2.1.1" }] },
      ],
      ecosystem_specific: { severity: "moderate" },
      database_specific: { last_known_affected_version_range: "<= 2.1.0", weight: 0.5 },
    },
    {
      package: { ecosystem: "npm", name: "@acme/helpers" },
      ranges: [{ type: "SEMVER", events: [{ introduced: "3.0.0" }, { last_affected: "3.9.9" }] }],
      versions: ["1.0.0-beta"],
    },
  ],
  references: [{ type: "ADVISORY", url: "https://example.com/advisories/1" }],
  credits: [{ name: "Ada", type: "REPORTER" }],
  database_specific: { cwe_ids: ["CWE-79"], github_reviewed: true },
};

const WRITER = ["advisories.create", "advisories.update", "advisories.list"];

function parsed(record: object, name = "record"): JsonObject {
  const document = readDocument(Buffer.from(JSON.stringify(record)), { name });
  return toJson(AdvisoryDocumentSchema, document) as JsonObject;
}

onEachStore("OSV records of imported advisories", (world) => {
  let scanner: Scanner;
  before(() => {
    scanner = new Scanner(world.server.url);
  });

  async function publicGroup(): Promise<string> {
    const group = await world.organization();
    await world.bind(group, ANONYMOUS_UID, ["advisories.list"]);
    return group;
  }

  /** Imports a record, after a dry run with the same result. */
  async function take(api: ApiClient, group: string, record: object): Promise<JsonObject> {
    const request = { parent: group, documents: [parsed(record)] };
    const { importAdvisories } = api.advisoryImports;
    const foreseen = await importAdvisories({ ...request, validateOnly: true });
    const { results } = await importAdvisories(request);
    assert.deepEqual(results, foreseen.results);
    const [{ refusals, created, changed, unchanged }] = results;
    assert.deepEqual(refusals, []);
    return { created, changed, unchanged };
  }

  async function advisoryOf(api: ApiClient, group: string, name: string) {
    const request = { uidp: { childrenOf: group }, artifactNames: [name] };
    const [listed] = (await api.advisories.list(request)).advisories;
    assert.equal(listed.source ?? undefined, undefined, "lists omit the source");
    return api.advisories.get(listed.uid);
  }

  // biome-ignore lint/suspicious/noExplicitAny: tests inspect arbitrary parts of it.
  async function published(group: string): Promise<any[]> {
    const { bytes } = await scanner.get(`${group}/osv/all.zip`);
    const documents = [...(await unzipped(bytes)).values()].map((text) => JSON.parse(text));
    const index = (await scanner.get(`${group}/osv/all.json`)).json;
    assert.deepEqual(
      index,
      documents.map(({ id, modified }) => ({ id, modified })),
    );
    const ids = documents.map(({ id }) => id);
    const tar = await untarred((await scanner.get(`${group}/osv/all.tar.gz`)).bytes);
    assert.deepEqual(
      [...tar.keys()],
      ids.map((id) => `${id}.json`),
    );
    assert.deepEqual((await changes(group)).map(([, id]) => id).sort(), ids);
    for (const document of documents) {
      assert.deepEqual((await scanner.get(`${group}/osv/${document.id}.json`)).json, document);
    }
    return documents;
  }

  /** The ids of changed documents by time, as incremental readers see them. */
  async function changes(group: string): Promise<[time: string, id: string][]> {
    const lines = `${(await scanner.get(`${group}/osv/modified_id.csv`)).bytes}`.trim().split("\n");
    return lines.map((line) => line.split(",") as [string, string]);
  }

  /** The only document of a group, which is that of the record. */
  async function republished(group: string) {
    const [document, ...others] = await published(group);
    assert.deepEqual([document.id, others], [RECORD.id, []]);
    return document;
  }

  const entriesOf = ({ affected }: { affected: { package: JsonObject }[] }, name: string) =>
    affected.filter((one) => one.package.name === name);

  world.rule("are returned with an advisory, and published as they are", async (api) => {
    const group = await publicGroup();
    assert.deepEqual(await take(api, group, RECORD), { created: 2, changed: 0, unchanged: 0 });
    assert.deepEqual(await take(api, group, RECORD), { created: 0, changed: 0, unchanged: 2 });
    const [templates, helpers] = RECORD.affected;
    const one = await advisoryOf(api, group, "@acme/templates");
    assert.deepEqual(one.source.osv, { ...RECORD, affected: [templates] });
    assert.equal(one.source.inEffect, true);
    const document = await republished(group);
    const kept = ["published", "related", "summary", "details", "severity", "aliases"] as const;
    for (const field of [...kept, "references", "credits", "modified"] as const) {
      assert.deepEqual(document[field], RECORD[field], field);
    }
    // A record that was modified long ago is new to readers of this feed.
    const since = Date.parse(one.createTime);
    for (const [time] of await changes(group)) assert.ok(Date.parse(time) >= since);
    assert.deepEqual(entriesOf(document, "@acme/templates"), [templates]);
    assert.deepEqual(entriesOf(document, "@acme/helpers"), [helpers]);
    assert.equal(document.affected.length, 2);
    const subject = { ecosystem: "npm", name: "@acme/templates" };
    for (const version of [
      "1.1.9",
      "1.2.0",
      "1.4.6",
      "1.4.7",
      "1.9.0",
      "2.0.0",
      "2.1.0",
      "2.1.1",
    ]) {
      const expected = isAffected(RECORD, subject, version);
      assert.equal(isAffected(document as OsvRecord, subject, version), expected, version);
    }
  });

  world.rule("are found under their own id, and by those of their advisories", async (api) => {
    const [group, other] = [await publicGroup(), await publicGroup()];
    await take(api, group, RECORD);
    const { advisoryId } = await advisoryOf(api, group, "@acme/templates");
    const url = `${world.server.url}/feeds/${group}/osv/${advisoryId}.json`;
    for (const method of ["GET", "HEAD"]) {
      const headers = { "if-none-match": "*" };
      const moved = await fetch(url, { method, headers, redirect: "manual" });
      // Relative: clients do not send their credentials to another host.
      assert.deepEqual([moved.status, moved.headers.get("location")], [302, `${RECORD.id}.json`]);
      assert.equal(moved.headers.get("etag"), null, "it is not the document");
    }
    assert.deepEqual(await (await fetch(url)).json(), await republished(group));
    for (const path of [`${group}/osv/CVE-2025-20333.json`, `${other}/osv/${RECORD.id}.json`]) {
      assert.equal((await scanner.get(path)).status, 404, path);
    }
    assert.equal((await scanner.get(`${other}/osv/${advisoryId}.json`)).status, 404);
  });

  world.rule("are one document with an advisory of the same id", async (api) => {
    const group = await publicGroup();
    await take(api, group, RECORD);
    const artifact = { artifactName: "@acme/wrapper", artifactType: "npm", aliases: ["CVE-1"] };
    const events = [
      {
        ...{ createTime: "2026-01-01T00:00:00Z", author: "writer@example.com" },
        ...{ reviewState: "REVIEW_STATE_APPROVED", fixed: { fixedVersion: "2.0.0" } },
      },
    ];
    const advisories = [{ advisoryId: RECORD.id, ...artifact, events }];
    const documents = [{ name: "own", advisories }];
    await api.advisoryImports.importAdvisories({ parent: group, documents });
    const document = await republished(group);
    assert.deepEqual(
      document.affected.map((one: { package: JsonObject }) => one.package.name).sort(),
      ["@acme/helpers", "@acme/templates", "@acme/wrapper"],
    );
    assert.deepEqual(await take(api, group, document), { created: 0, changed: 0, unchanged: 3 });
  });

  world.rule("are published once for all folders", async (api) => {
    const group = await publicGroup();
    const folder = await world.group(group);
    await take(api, folder, { ...RECORD, details: "In a folder." });
    await take(api, group, { ...RECORD, affected: [RECORD.affected[0]] });
    const document = await republished(group);
    assert.equal(document.affected.length, 2, "each package once");
    const { uid } = await advisoryOf(api, group, "@acme/templates");
    await api.v1.advisories.delete(uid);
    const without = await republished(group);
    assert.deepEqual([without.withdrawn, without.affected.length], [undefined, 2]);
    assert.equal(without.details, "In a folder.");
  });

  world.rule("follow later versions, whose times never go back", async (api) => {
    const group = await publicGroup();
    await take(api, group, RECORD);
    const modified = "2025-04-01T00:00:00Z";
    const later = { ...RECORD, modified, details: "Nor are those of `aria-` attributes." };
    assert.deepEqual(await take(api, group, later), { created: 0, changed: 2, unchanged: 0 });
    for (const document of await published(group)) {
      assert.deepEqual([document.details, document.modified], [later.details, modified]);
    }
    // An earlier version adds to the history of events, and is not the record.
    await take(api, group, RECORD);
    for (const document of await published(group)) assert.equal(document.details, later.details);
    const sql = `SELECT data FROM advisory_records WHERE group_uid = '${group}'`;
    assert.equal((await rawRows(world.server, sql)).length, 1);
    // The same version with another text was changed after it was published.
    const edited = { ...later, details: "Edited." };
    assert.deepEqual(await take(api, group, edited), { created: 0, changed: 2, unchanged: 0 });
    for (const document of await published(group)) {
      assert.equal(document.details, "Edited.");
      assert.ok(Date.parse(document.modified) > Date.parse(modified));
    }
  });

  world.rule("are modified by the import if they have no time", async (api) => {
    const group = await publicGroup();
    const zero = "0001-01-01T00:00:00Z";
    const undated = { ...RECORD, modified: zero };
    const begun = Date.now();
    await take(api, group, undated);
    const edited = { ...undated, details: "Edited." };
    assert.deepEqual(await take(api, group, edited), { created: 0, changed: 2, unchanged: 0 });
    for (const document of await published(group)) {
      assert.equal(document.details, "Edited.");
      assert.deepEqual(document.database_specific.source.modified, zero);
      assert.ok(Date.parse(document.modified) >= begun);
    }
    const one = await advisoryOf(api, group, "@acme/templates");
    assert.equal(one.events[0].createTime, "2025-03-01T09:00:00.000Z");
    assert.equal(one.source.inEffect, true);
  });

  world.rule("are overridden by events and by another package", async (api) => {
    const group = await publicGroup();
    await take(api, group, RECORD);
    const { v1 } = api;
    const [one, other] = [
      await advisoryOf(api, group, "@acme/templates"),
      await advisoryOf(api, group, "@acme/helpers"),
    ];
    const added = await v1.advisoryEvents.create(one.uid, { fixed: { fixedVersion: "1.4.6-1" } });
    assert.deepEqual(
      entriesOf(await republished(group), "@acme/templates"),
      [RECORD.affected[0]],
      "a pending event changes nothing",
    );
    const reviewer = await world.member({ [group]: [...WRITER, "advisories.approve"] });
    const approver = api.as(reviewer.token).v1;
    await approver.advisoryEvents.update(added.id, { ...added, status: "APPROVED" });
    const partly = await republished(group);
    assert.deepEqual(entriesOf(partly, "@acme/helpers"), [RECORD.affected[1]]);
    assert.deepEqual(partly.severity, RECORD.severity);
    const {
      id: _,
      advisoryId: _id,
      ...subject
    } = await v1.advisories.list({ id: other.uid }).then(({ items }) => items[0]);
    await v1.advisories.update(other.uid, { ...subject, artifactName: "@acme/other", events: [] });
    const document = await republished(group);
    const ranges = (name: string) =>
      entriesOf(document, name).flatMap((one) => (one as JsonObject).ranges as JsonObject[]);
    const fixed = [{ introduced: "0" }, { fixed: "1.4.6-1" }];
    assert.deepEqual(ranges("@acme/templates"), [{ type: "ECOSYSTEM", events: fixed }]);
    assert.equal(ranges("@acme/other").length, 1);
    assert.equal(document.affected.length, 2);
    assert.equal(document.database_specific.source_overridden, true);
    assert.equal(document.database_specific.source.id, RECORD.id);
    assert.equal(document.details.endsWith(RECORD.details), true);
    assert.ok(Date.parse(document.modified) > Date.parse(RECORD.modified));
    for (const { uid } of [one, other]) {
      const { source } = await api.advisories.get(uid);
      assert.deepEqual([source.inEffect, source.osv.id], [false, RECORD.id]);
    }
    // Without the alias, the advisory is about another vulnerability.
    await v1.advisories.update(one.uid, {
      ...subject,
      artifactName: "@acme/templates",
      aliases: ["CVE-1"],
    });
    const [unnamed, still] = await published(group);
    assert.deepEqual([unnamed.id, still.id], [one.advisoryId, RECORD.id]);
    assert.equal(unnamed.database_specific.source, undefined);
    assert.deepEqual(entriesOf(still, "@acme/templates"), []);
    assert.equal((await api.advisories.get(one.uid)).source ?? undefined, undefined);
  });

  world.rule("are not published before their events are approved", async (api) => {
    const group = await publicGroup();
    const writer = await world.member({ [group]: WRITER });
    await take(api, group, RECORD);
    const by = api.as(writer.token);
    // The same event, which was approved with another text.
    const same = { ...RECORD, details: "Visit https://malicious.example" };
    assert.deepEqual(await take(by, group, same), { created: 0, changed: 0, unchanged: 2 });
    const later = { ...same, modified: "2025-04-01T00:00:00Z" };
    assert.deepEqual(await take(by, group, later), { created: 0, changed: 2, unchanged: 0 });
    const before = await republished(group);
    assert.equal(before.details, RECORD.details);
    assert.equal(before.database_specific.source_overridden, undefined);
    const one = await advisoryOf(api, group, "@acme/templates");
    const { v1 } = api;
    const pending = (await v1.advisoryEvents.list({ parentId: one.uid })).items.at(-1);
    await v1.advisoryEvents.update(pending.id, { ...pending, status: "APPROVED" });
    const approved = await republished(group);
    assert.deepEqual(
      [approved.details, approved.modified.slice(0, 4)],
      [same.details, `${new Date().getUTCFullYear()}`],
    );
    assert.deepEqual(entriesOf(approved, "@acme/templates"), [RECORD.affected[0]]);
    // The other package still has the version before, and both are restored elsewhere.
    const mirror = await publicGroup();
    await take(api, mirror, approved);
    const shown = async (name: string) => (await advisoryOf(api, mirror, name)).source.osv.details;
    assert.equal(await shown("@acme/templates"), same.details);
    assert.equal(await shown("@acme/helpers"), RECORD.details);
    assert.deepEqual(await take(api, group, approved), { created: 0, changed: 0, unchanged: 2 });
  });

  world.rule("keep the time of the record when severities of others change", async (api) => {
    const group = await publicGroup();
    const unrated = { ...RECORD, id: "PYSEC-2025-1", severity: undefined, aliases: ["CVE-2025-1"] };
    await take(api, group, { ...RECORD, affected: [RECORD.affected[0]], aliases: ["CVE-2025-1"] });
    await take(api, group, { ...unrated, affected: [RECORD.affected[1]] });
    const severities = [{ type: "TYPE_CVSS_V2", score: "AV:N/AC:L/Au:N/C:P/I:P/A:P" }];
    const vulnerability = { id: "CVE-2025-1", severities, updateTime: "2026-01-01T00:00:00Z" };
    const documents = [{ name: "x", vulnerabilities: [vulnerability] }];
    await api.advisoryImports.importAdvisories({ parent: group, documents });
    const [rated, other] = await published(group);
    assert.deepEqual([rated.id, other.id], [RECORD.id, unrated.id]);
    assert.deepEqual([rated.modified, rated.severity], [RECORD.modified, RECORD.severity]);
    assert.ok(Date.parse(other.modified) > Date.parse(RECORD.modified));
    assert.equal(other.severity.length, 2);
  });

  world.rule("survive being published, imported elsewhere and published again", async (api) => {
    const [group, mirror] = [await publicGroup(), await publicGroup()];
    await take(api, group, RECORD);
    const bare = ({
      database_specific: { wharf: _, ...specific },
      ...rest
    }: JsonObject & {
      database_specific: JsonObject;
    }) => ({ ...rest, database_specific: specific });
    const documents = await published(group);
    for (const document of documents) {
      assert.deepEqual(await take(api, group, document), { created: 0, changed: 0, unchanged: 2 });
      await take(api, mirror, document);
    }
    assert.deepEqual((await published(mirror)).map(bare), documents.map(bare));
  });

  world.rule("that cannot be kept are rejected, by field", async (api) => {
    const group = await world.organization();
    const document = parsed(RECORD) as { advisories: JsonObject[]; sources: JsonObject[] };
    const rejected = async (more: object) => {
      const given = { ...document, name: "x", ...more };
      const { results } = await api.advisoryImports.importAdvisories({
        ...{ parent: group, documents: [given] },
      });
      return results[0].refusals.map((one: JsonObject) => `${one.field}: ${one.description}`);
    };
    assert.deepEqual(await rejected({ sources: [] }), [
      "advisories[0].source.osv.id: id must be that of a source",
      "advisories[1].source.osv.id: id must be that of a source",
    ]);
    const { id } = RECORD;
    assert.deepEqual(await rejected({ sources: [{ osv: { id, modified: "never" } }] }), [
      'advisories[0].source.osv: modified: must be a time such as 2026-01-31T12:00:00Z, not "never"',
      'advisories[1].source.osv: modified: must be a time such as 2026-01-31T12:00:00Z, not "never"',
    ]);
    const [first] = document.advisories;
    const withAffected = (affected: unknown) => ({
      advisories: [{ ...first, source: { osv: { id, affected } } }],
    });
    const about = "advisories[0].source.osv.affected: affected must be about one package";
    assert.deepEqual(await rejected(withAffected(RECORD.affected)), [about]);
    assert.deepEqual(await rejected(withAffected([])), [about]);
    const versions = Array.from({ length: 60_000 }, (_, at) => `1.0.0-build.${at}`);
    const [large] = await rejected(withAffected([{ ...RECORD.affected[0], versions }]));
    assert.match(large, /affected: has 1\d+ bytes of one package; the maximum is 1048576$/);
    assert.equal((await api.advisories.list({ uidp: { childrenOf: group } })).totalCount, "0");
  });
});
