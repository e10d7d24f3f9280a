import assert from "node:assert/strict";
import type { JsonObject } from "@bufbuild/protobuf";
import { isAffected, type OsvRecord, type Subject } from "./osv-oracle.ts";

/**
 * For tests: asserts that documents together mark the same versions and commits as affected as a record, at and
 * beside all boundaries. Returns how many are affected and how many are not.
 */
export function assertSameVersions(
  record: JsonObject,
  documents: readonly JsonObject[],
  which: string,
): { affected: number; unaffected: number } {
  const given = { ...record };
  // The zero time means that it was not withdrawn.
  if (String(given.withdrawn).startsWith("0001-")) delete given.withdrawn;
  const counts = { affected: 0, unaffected: 0 };
  for (const [subject, versions] of boundaries(given as OsvRecord)) {
    for (const version of versions) {
      const expected = isAffected(given as OsvRecord, subject, version);
      const actual = documents.some((one) => isAffected(one as OsvRecord, subject, version));
      assert.equal(actual, expected, `${which}: ${JSON.stringify(subject)} ${version}`);
      counts[expected ? "affected" : "unaffected"]++;
    }
  }
  return counts;
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

/**
 * For tests: whether all entries of a record can be stored. Entries without package and ranges of commits are about
 * nothing.
 */
export const isAboutSomething = (record: JsonObject) =>
  (record.affected as JsonObject[]).every((one) => one.package !== undefined || hasCommits(one));

const hasCommits = ({ ranges }: JsonObject) =>
  ((ranges ?? []) as JsonObject[]).some(({ type }) => type === "GIT");
