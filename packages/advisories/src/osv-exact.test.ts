import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { runs } from "../../server/test/support/oracle/runs.ts";
import { stored } from "../test/kept-sources.ts";
import { assertSameVersions, isAboutSomething } from "../test/osv-boundaries.ts";
import { randomOsv } from "../test/random-osv.ts";
import { PUBLICATION } from "../test/samples.ts";
import { assertValid } from "../test/schemas.ts";
import { osvDocument } from "./publish/index.ts";
import { readDocument } from "./read/index.ts";

const SEEDS = Array.from({ length: runs(20, 200) }, (_, seed) => seed);

/** The documents that are published after a record was imported. */
function republished(record: JsonObject): JsonObject[] {
  const document = readDocument(Buffer.from(JSON.stringify(record)), { name: "test" });
  return stored(document).map((one) => osvDocument(one, PUBLICATION) as JsonObject);
}

/** Without members that are absent in another way. */
const isGiven = (value: JsonValue | undefined) =>
  value !== undefined && !(typeof value === "string" && value.startsWith("0001-"));

describe("random OSV records that are imported and published", () => {
  test("mark the same versions and commits as affected, by OSV's algorithm", () => {
    let affected = 0;
    let unaffected = 0;
    for (const seed of SEEDS) {
      const record = randomOsv(seed);
      if (!isAboutSomething(record)) continue;
      const documents = republished(record);
      for (const document of documents) assertValid("osv", document);
      const versions = assertSameVersions(record, documents, `seed ${seed}`);
      affected += versions.affected;
      unaffected += versions.unaffected;
    }
    const enough = 5 * SEEDS.length;
    assert.ok(affected > enough && unaffected > enough, `${affected} and ${unaffected} versions`);
  });

  test("keep every member of the record", () => {
    for (const seed of SEEDS) {
      const record = randomOsv(seed);
      const entries = new Set<string>();
      for (const document of isAboutSomething(record) ? republished(record) : []) {
        for (const one of document.affected as JsonObject[]) entries.add(JSON.stringify(one));
        const kept = ["published", "withdrawn", "related", "summary", "details"];
        for (const name of [...kept, "references", "credits"]) {
          const isGenerated = name === "published" && !isGiven(record[name]);
          if (isGenerated) continue;
          const expected = isGiven(record[name]) ? record[name] : undefined;
          assert.deepEqual(document[name], expected, `seed ${seed}: ${name}`);
        }
        if (record.severity !== undefined) assert.deepEqual(document.severity, record.severity);
        const upstream = new Set((record.upstream ?? []) as string[]);
        assert.deepEqual(new Set((document.upstream ?? []) as string[]), upstream);
        const aliases = new Set([record.id, ...((record.aliases ?? []) as string[])]);
        assert.deepEqual(new Set(document.aliases as string[]), aliases.difference(upstream));
      }
      if (!isAboutSomething(record)) continue;
      const given = (record.affected as JsonObject[]).map((one) => JSON.stringify(one));
      assert.deepEqual(entries, new Set(given), `seed ${seed}`);
    }
  });

  test("are the same after they are imported and published once more", () => {
    for (const seed of SEEDS) {
      const record = randomOsv(seed);
      if (!isAboutSomething(record)) continue;
      for (const document of republished(record)) {
        assert.deepEqual(republished(document), [document], `seed ${seed}`);
      }
    }
  });
});
