import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { stored } from "../test/kept-sources.ts";
import { isAffected, type OsvRecord, type Subject } from "../test/osv-oracle.ts";
import { randomOsv } from "../test/random-osv.ts";
import { PUBLICATION } from "../test/samples.ts";
import { assertValid } from "../test/schemas.ts";
import { osvDocument } from "./publish/index.ts";
import { readDocument } from "./read/index.ts";

const SEEDS = Array.from({ length: 200 }, (_, seed) => seed);

/** The documents that are published after a record was imported. */
function republished(record: JsonObject): JsonObject[] {
  const document = readDocument(Buffer.from(JSON.stringify(record)), { name: "test" });
  return stored(document).map((one) => osvDocument(one, PUBLICATION) as JsonObject);
}

/** The packages and repositories of a record, each with the versions at and beside all boundaries. */
function boundaries(record: OsvRecord): [Subject, string[]][] {
  const found = new Map<string, [Subject, Set<string>]>();
  const add = (subject: Subject, versions: readonly string[]) => {
    const key = JSON.stringify(subject);
    const entry = found.get(key) ?? [subject, new Set<string>()];
    for (const version of versions) for (const one of around(version)) entry[1].add(one);
    found.set(key, entry);
  };
  for (const { package: named, ranges = [], versions = [] } of record.affected ?? []) {
    const subject = named && { ecosystem: named.ecosystem, name: named.name };
    if (subject) add(subject, ["0", "99.0.0", ...versions]);
    for (const { type, repo, events } of ranges) {
      const bounds = events.flatMap((event) => Object.values(event));
      if (type === "GIT") add({ repo: repo as string }, bounds);
      else if (subject) add(subject, bounds);
    }
  }
  return [...found.values()].map(([subject, versions]) => [subject, [...versions]]);
}

/** A version or commit, the one before and the one after. */
function around(version: string): string[] {
  if (/^[0-9a-f]{40}$/.test(version)) {
    const number = Number.parseInt(version, 16);
    return [number - 1, number, number + 1]
      .filter((one) => one >= 0)
      .map((one) => one.toString(16).padStart(40, "0"));
  }
  const [major = 0, minor = 0, patch = 0] = version.split(".").map(Number);
  const before = patch > 0 ? [`${major}.${minor}.${patch - 1}`] : [];
  return [version, ...before, `${major}.${minor}.${patch + 1}`];
}

/** Entries without package and ranges of commits are about nothing. */
const isAboutSomething = (record: JsonObject) =>
  (record.affected as JsonObject[]).every((one) => one.package !== undefined || hasCommits(one));

const hasCommits = ({ ranges }: JsonObject) =>
  ((ranges ?? []) as JsonObject[]).some(({ type }) => type === "GIT");

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
      const given = { ...record } as JsonObject;
      if (!isGiven(given.withdrawn)) delete given.withdrawn;
      for (const document of documents) assertValid("osv", document);
      for (const [subject, versions] of boundaries(given as OsvRecord)) {
        for (const version of versions) {
          const expected = isAffected(given as OsvRecord, subject, version);
          const actual = documents.some((one) => isAffected(one as OsvRecord, subject, version));
          assert.equal(actual, expected, `seed ${seed}: ${JSON.stringify(subject)} ${version}`);
          if (expected) affected++;
          else unaffected++;
        }
      }
    }
    assert.ok(affected > 1_000 && unaffected > 1_000, `${affected} and ${unaffected} versions`);
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
