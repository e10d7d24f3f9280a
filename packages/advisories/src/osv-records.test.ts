import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { create, fromJson, type JsonObject } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  type Advisory,
  AdvisoryEventSchema,
  AdvisorySchema,
  AdvisorySourceSchema,
} from "@wharf/contract/messages";
import { stored } from "../test/kept-sources.ts";
import { GHSA } from "../test/osv-samples.ts";
import { event, PUBLICATION } from "../test/samples.ts";
import { assertValid } from "../test/schemas.ts";
import { osvDocument, osvId, ownOsvId } from "./publish/index.ts";
import { readDocument } from "./read/index.ts";
import { problemsOf, readToJson } from "./read/testing.ts";

const [FIRST, SECOND, PYTHON, COMMITS] = GHSA.affected;

/** The advisories of a record as they are stored: of npm, then of PyPI. */
function imported(record: object): [Advisory, Advisory] {
  const document = readDocument(Buffer.from(JSON.stringify(record)), { name: "test" });
  return stored(document) as [Advisory, Advisory];
}

// biome-ignore lint/suspicious/noExplicitAny: tests inspect arbitrary parts of it.
function published(advisories: readonly Advisory[]): any {
  const document = osvDocument(advisories, PUBLICATION);
  assertValid("osv", document);
  return document;
}

/** The override of an imported advisory by a later approved event. */
function overridden(advisory: Advisory, type: JsonObject): Advisory {
  const later = fromJson(AdvisoryEventSchema, {
    ...event(type),
    createTime: "2026-09-01T00:00:00Z",
  });
  const source = create(AdvisorySourceSchema, { ...advisory.source, inEffect: false });
  return create(AdvisorySchema, { ...advisory, events: [...advisory.events, later], source });
}

function deleted(advisory: Advisory): Advisory {
  const time = timestampFromDate(new Date("2026-09-02T00:00:00Z"));
  return create(AdvisorySchema, { ...advisory, deleteTime: time, updateTime: time });
}

const NEVER_CALLED = { falsePositiveDetermination: { type: 5, note: "Never called." } };

describe("the document of a record with several packages", () => {
  test("has the record's id, and each of its entries once", () => {
    const advisories = imported(GHSA);
    const document = published(advisories);
    assert.equal(document.id, GHSA.id);
    assert.deepEqual(document.aliases, GHSA.aliases);
    assert.deepEqual(document.affected, [FIRST, SECOND, COMMITS, PYTHON]);
    for (const one of advisories) {
      assert.equal(osvId(one), GHSA.id);
      assert.equal(ownOsvId(one), one.advisoryId);
    }
    assert.deepEqual(
      document.database_specific.wharf.map((one: JsonObject) => one.source),
      [
        { osv: { id: GHSA.id, affected: [0, 1, 2] }, inEffect: true },
        { osv: { id: GHSA.id, affected: [3, 2] }, inEffect: true },
      ],
    );
    assert.deepEqual(readToJson(document).sources, readToJson(GHSA).sources);
  });

  test("has versions and notes of the packages that events are about", () => {
    const [npm, python] = imported(GHSA);
    const document = published([overridden(npm, NEVER_CALLED), python]);
    const [cleared, ...others] = document.affected;
    assert.deepEqual(cleared.ranges, [
      { type: "ECOSYSTEM", events: [{ introduced: "0" }, { fixed: "0" }] },
    ]);
    assert.deepEqual(others, [PYTHON, COMMITS]);
    assert.equal(document.summary, GHSA.summary);
    assert.equal(document.details, `@acme/templates: Never called.\n\n${GHSA.details}`);
    assert.deepEqual(document.severity, GHSA.severity);
    assert.equal(document.database_specific.status, undefined, "they differ");
    assert.equal(document.database_specific.source_overridden, true);
    const { sources, advisories } = readToJson(document);
    assert.deepEqual(sources, readToJson(GHSA).sources);
    const entries = advisories.map((one: Advisory) => one.source?.osv?.affected);
    assert.deepEqual(entries, [
      [FIRST, SECOND, COMMITS],
      [PYTHON, COMMITS],
    ]);
    assert.equal(advisories[0].events.length, 2);
  });

  test("names no package that is withdrawn or deleted, unless all are", () => {
    const [npm, python] = imported(GHSA);
    const one = published([deleted(npm), python]);
    assert.deepEqual([one.withdrawn, one.affected], [undefined, [PYTHON, COMMITS]]);
    assert.equal(one.modified, "2026-09-02T00:00:00.000Z", "it was changed by the deletion");
    assert.deepEqual(
      readToJson(one).advisories.map((read: Advisory) => read.artifactName),
      ["acme-templates"],
    );
    const both = published([deleted(npm), deleted(python)]);
    assert.equal(both.withdrawn, "2026-09-02T00:00:00.000Z");
    assert.equal(readToJson(both).advisories ?? undefined, undefined);
    const [gone, still] = imported({ ...GHSA, withdrawn: "2026-04-01T00:00:00Z" });
    assert.equal(published([gone, still]).withdrawn, "2026-04-01T00:00:00Z");
    const kept = published([
      gone,
      overridden(still, { truePositiveDetermination: { note: "Seen." } }),
    ]);
    assert.equal(kept.withdrawn, undefined);
    assert.deepEqual(
      kept.affected.map((entry: { package: JsonObject }) => entry.package.name),
      ["acme-templates"],
    );
    assert.equal(readToJson(kept).advisories.length, 2, "both are imported again");
  });

  test("has the latest version of the record, and others with their packages", () => {
    const later = { ...GHSA, modified: "2026-05-01T00:00:00Z", details: "Nor are others." };
    const [npm] = imported(GHSA);
    const [, python] = imported(later);
    const document = published([npm, python]);
    assert.equal(document.details, later.details);
    assert.deepEqual(document.affected, [FIRST, SECOND, COMMITS, PYTHON]);
    const { sources, advisories } = readToJson(document);
    assert.deepEqual(
      sources.map(({ osv }: { osv: JsonObject }) => [osv.modified, osv.details]),
      [
        [later.modified, later.details],
        [GHSA.modified, GHSA.details],
      ],
    );
    assert.deepEqual(
      advisories.map(({ source }: { source: { osv: JsonObject } }) => source.osv.modified),
      [GHSA.modified, undefined],
    );
  });

  test("is read as earlier versions published it, with one advisory", () => {
    const [npm] = imported(GHSA);
    const { wharf, source, ...specific } = published([npm]).database_specific;
    const { source: named, ...advisory } = wharf[0];
    const earlier = {
      ...published([npm]),
      ...{ id: npm.advisoryId, aliases: [GHSA.id, ...GHSA.aliases] },
      database_specific: {
        ...{ ...specific, source, wharf: advisory },
        source_fields: [...specific.source_fields, "affected"],
      },
    };
    const { sources, advisories } = readToJson(earlier);
    assert.deepEqual(sources, readToJson(GHSA).sources);
    const affected = [FIRST, SECOND, COMMITS];
    assert.deepEqual(advisories, [{ ...advisory, source: { osv: { id: GHSA.id, affected } } }]);
    assert.deepEqual(named.osv.affected, [0, 1, 2]);
  });

  test("is rejected if its advisories do not belong to it", () => {
    const document = published(imported(GHSA));
    const problems = (change: (advisories: JsonObject[]) => unknown, limits = {}) => {
      const copy = structuredClone(document);
      change(copy.database_specific.wharf);
      return problemsOf(copy, limits).map((line) => line.replace(/^[0-9:]+ /, ""));
    };
    const at = "database_specific.wharf[0].source";
    const withAffected = (affected: unknown) => (all: JsonObject[]) => {
      Object.assign(all[0] as object, { source: { osv: { id: GHSA.id, affected } } });
    };
    const why = "must be the position of another entry of affected";
    for (const position of [4, -1, 0.5, 1e9]) {
      assert.deepEqual(problems(withAffected([0, position])), [`${at}.osv.affected[1]: ${why}`]);
    }
    assert.deepEqual(problems(withAffected([0, 0])), [`${at}.osv.affected[1]: ${why}`]);
    assert.deepEqual(
      problems((all) => Object.assign(all[0] as object, { source: undefined })),
      [`database_specific.wharf[0].advisoryId: must be the document's id, "${GHSA.id}"`],
    );
    const other = { source: { osv: { ...GHSA, id: "GHSA-2222-3333-4444" } } };
    assert.deepEqual(
      problems((all) => Object.assign(all[0] as object, other)),
      [`${at}: must be the document's id, "${GHSA.id}"`],
    );
    assert.match(problems((all) => all.push(7 as never))[0] as string, /wharf\[2\]: is not an adv/);
  });

  test("may not have more than the memory of a reader by repeating entries", () => {
    const versions = Array.from({ length: 60_000 }, (_, at) => `1.0.${at}`);
    const affected = [{ package: { ecosystem: "npm", name: "large" }, versions }];
    const document = published(imported({ ...GHSA, affected }));
    const { wharf } = document.database_specific;
    wharf.push(...Array.from({ length: 9_000 }, () => wharf[0]));
    const problems = problemsOf(JSON.stringify(document));
    assert.equal(problems.length, 1);
    assert.match(problems[0] as string, /affected: exceeds 67108864 bytes with those of other/);
  });
});
