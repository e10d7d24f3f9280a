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

/** The document that is published after a record was imported. */
function republished(record: JsonObject): JsonObject {
  const document = readDocument(Buffer.from(JSON.stringify(record)), { name: "test" });
  return osvDocument(stored(document), PUBLICATION) as JsonObject;
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
      const document = republished(record);
      assertValid("osv", document);
      const versions = assertSameVersions(record, [document], `seed ${seed}`);
      affected += versions.affected;
      unaffected += versions.unaffected;
    }
    const enough = 5 * SEEDS.length;
    assert.ok(affected > enough && unaffected > enough, `${affected} and ${unaffected} versions`);
  });

  test("keep their id, and every member of the record", () => {
    for (const seed of SEEDS) {
      const record = randomOsv(seed);
      if (!isAboutSomething(record)) continue;
      const document = republished(record);
      assert.equal(document.id, record.id, `seed ${seed}`);
      const kept = ["published", "withdrawn", "related", "summary", "details"];
      for (const name of [...kept, "references", "credits"]) {
        const isGenerated = name === "published" && !isGiven(record[name]);
        if (isGenerated) continue;
        const expected = isGiven(record[name]) ? record[name] : undefined;
        assert.deepEqual(document[name], expected, `seed ${seed}: ${name}`);
      }
      if (record.severity !== undefined) assert.deepEqual(document.severity, record.severity);
      const names = (list: JsonValue | undefined) => new Set((list ?? []) as string[]);
      const upstream = names(record.upstream);
      assert.deepEqual(names(document.upstream), upstream);
      const aliases = names(record.aliases)
        .difference(upstream)
        .difference(new Set([record.id]));
      assert.deepEqual(names(document.aliases), aliases);
      const texts = (list: JsonValue | undefined) =>
        (list as JsonObject[]).map((one) => JSON.stringify(one)).sort();
      const given = new Set(texts(record.affected));
      assert.deepEqual(texts(document.affected), [...given], `seed ${seed}`);
    }
  });

  test("are the same after they are imported and published once more", () => {
    for (const seed of SEEDS) {
      const record = randomOsv(seed);
      if (!isAboutSomething(record)) continue;
      const document = republished(record);
      assert.deepEqual(republished(document), document, `seed ${seed}`);
    }
  });
});
