import assert from "node:assert/strict";
import { before } from "node:test";
import { type JsonObject, toJson } from "@bufbuild/protobuf";
import { readDocument } from "@wharf/advisories/read";
import { AdvisoryDocumentSchema } from "@wharf/contract";
import { ANONYMOUS_UID } from "../src/auth/caller.ts";
import type { ApiClient } from "./support/client/api-client.ts";
import { Scanner, unzipped } from "./support/client/feed-client.ts";
import { onEachStore } from "./support/world/world.ts";

const ZERO = "0001-01-01T00:00:00Z";
const FILE_TIME = "2024-05-06T07:08:09Z";

/** In the form of a record of Go's database, as it is in its repository. */
const RECORD = {
  schema_version: "1.3.1",
  id: "GO-2021-0052",
  modified: ZERO,
  published: ZERO,
  aliases: ["CVE-2020-28483"],
  summary: "Inconsistent interpretation of HTTP requests",
  affected: [
    {
      package: { ecosystem: "Go", name: "example.com/gin" },
      ranges: [{ type: "SEMVER", events: [{ introduced: "0" }, { fixed: "1.7.7" }] }],
    },
  ],
};

function parsed(record: object, time?: string): JsonObject {
  const bytes = Buffer.from(JSON.stringify(record));
  const at = time === undefined ? undefined : Date.parse(time);
  return toJson(
    AdvisoryDocumentSchema,
    readDocument(bytes, { name: "record", time: at }),
  ) as JsonObject;
}

onEachStore("records without a time", (world) => {
  let scanner: Scanner;
  before(() => {
    scanner = new Scanner(world.server.url);
  });

  async function take(api: ApiClient, group: string, document: JsonObject): Promise<string> {
    const { results } = await api.advisoryImports.importAdvisories({
      parent: group,
      documents: [document],
    });
    const [{ refusals, created, changed, unchanged }] = results;
    assert.deepEqual(refusals, []);
    return `${created} ${changed} ${unchanged}`;
  }

  async function eventsOf(api: ApiClient, group: string) {
    const [advisory] = (await api.advisories.list({ uidp: { childrenOf: group } })).advisories;
    return advisory.events as { createTime: string; fixed?: { fixedVersion: string } }[];
  }

  world.rule("have that of their file, and are imported once", async (api) => {
    const group = await world.organization();
    await world.bind(group, ANONYMOUS_UID, ["advisories.list"]);
    assert.equal(await take(api, group, parsed(RECORD, FILE_TIME)), "1 0 0");
    assert.equal(await take(api, group, parsed(RECORD, "2025-01-01T00:00:00Z")), "0 0 1");
    assert.equal(await take(api, group, parsed(RECORD)), "0 0 1");
    const [event, ...others] = await eventsOf(api, group);
    assert.equal(Date.parse(event?.createTime ?? ""), Date.parse(FILE_TIME));
    assert.deepEqual(others, []);
    const { bytes } = await scanner.get(`${group}/osv/all.zip`);
    const [text = ""] = (await unzipped(bytes)).values();
    const document = JSON.parse(text);
    assert.equal(document.published, undefined, "no time is invented");
    assert.ok(Date.parse(document.modified) > Date.parse(FILE_TIME));
    assert.deepEqual(document.affected, RECORD.affected);
    assert.equal(document.database_specific.source.modified, ZERO);
  });

  world.rule("that change have a later event", async (api) => {
    const group = await world.organization();
    assert.equal(await take(api, group, parsed(RECORD, FILE_TIME)), "1 0 0");
    const [affected] = RECORD.affected;
    const events = [{ introduced: "0" }, { fixed: "1.7.8" }];
    const changed = {
      ...RECORD,
      affected: [{ ...affected, ranges: [{ type: "SEMVER", events }] }],
    };
    assert.equal(await take(api, group, parsed(changed)), "0 1 0");
    assert.equal(await take(api, group, parsed(changed)), "0 0 1");
    const versions = (await eventsOf(api, group)).map(({ fixed }) => fixed?.fixedVersion);
    assert.deepEqual(versions, ["1.7.7", "1.7.8"]);
  });

  world.rule("of files or records dated in the future have that of the import", async (api) => {
    for (const document of [
      parsed(RECORD, "2999-01-01T00:00:00Z"),
      parsed({ ...RECORD, modified: "2999-01-01T00:00:00Z" }),
    ]) {
      const group = await world.organization();
      assert.equal(await take(api, group, document), "1 0 0");
      assert.equal(await take(api, group, document), "0 0 1");
      const [event] = await eventsOf(api, group);
      assert.ok(Date.parse(event?.createTime ?? "") <= Date.now());
    }
  });
});
