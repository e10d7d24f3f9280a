import assert from "node:assert/strict";
import { before, test } from "node:test";
import { type JsonObject, toJson } from "@bufbuild/protobuf";
import { readDocument } from "@wharf/advisories/read";
import { AdvisoryDocumentSchema } from "@wharf/contract";
import { assertSameVersions, isAboutSomething } from "../../advisories/test/osv-boundaries.ts";
import { randomOsv } from "../../advisories/test/random-osv.ts";
import { ANONYMOUS_UID } from "../src/auth/caller.ts";
import { Scanner, unzipped } from "./support/client/feed-client.ts";
import { runs } from "./support/oracle/runs.ts";
import { onEachStore } from "./support/world/world.ts";

const RECORDS = Array.from({ length: runs(15, 160) }, (_, seed) => randomOsv(seed)).filter(
  isAboutSomething,
);

function parsed(record: JsonObject, name: string): JsonObject {
  const document = readDocument(Buffer.from(JSON.stringify(record)), { name });
  return toJson(AdvisoryDocumentSchema, document) as JsonObject;
}

onEachStore("random OSV records", (world) => {
  let scanner: Scanner;
  before(() => {
    scanner = new Scanner(world.server.url);
  });

  async function published(group: string): Promise<JsonObject[]> {
    const { bytes } = await scanner.get(`${group}/osv/all.zip`);
    return [...(await unzipped(bytes)).values()].map((text) => JSON.parse(text));
  }

  async function imported(given: readonly JsonObject[]): Promise<string> {
    const group = await world.organization();
    await world.bind(group, ANONYMOUS_UID, ["advisories.list"]);
    const documents = given.map((one, at) => parsed(one, `${at}`));
    const { importAdvisories } = world.operator().advisoryImports;
    for (const expected of ["created", "unchanged"]) {
      const { results } = await importAdvisories({ parent: group, documents });
      for (const [at, result] of results.entries()) {
        const { advisories } = documents[at] as { advisories: object[] };
        assert.deepEqual([result.refusals, result[expected]], [[], advisories.length]);
      }
    }
    return group;
  }

  test("are published with the same affected versions, also by a mirror of the feed", async () => {
    const group = await imported(RECORDS);
    const documents = await published(group);
    const mirror = await published(await imported(documents));
    for (const all of [documents, mirror]) {
      assert.deepEqual(all.map(({ id }) => id).sort(), RECORDS.map(({ id }) => id).sort());
      const byId = new Map(all.map((document) => [document.id, document]));
      for (const record of RECORDS) {
        const document = byId.get(record.id) as JsonObject;
        assertSameVersions(record, [document], record.id as string);
      }
    }
  });
});
