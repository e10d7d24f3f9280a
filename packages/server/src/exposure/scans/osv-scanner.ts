import { severityOf } from "@wharf/advisories/base-score";
import { list } from "../../registry/lenient-json.ts";
import { at, textIn, textsIn } from "./members.ts";
import { type ScannedReport, type ScannedVulnerability, severityOfWord } from "./scanned.ts";

/** Whether JSON is a report of osv-scanner: it has no name in it. */
export function isOsvScanner(report: unknown): boolean {
  const results = at(report, "results");
  return Array.isArray(results) && results.every((one) => Array.isArray(at(one, "packages")));
}

export function readOsvScanner(report: unknown): ScannedReport {
  return {
    ...{ scanner: "osv-scanner", version: "", databaseTime: 0, digests: [] },
    vulnerabilities: list(at(report, "results")).flatMap((result) =>
      list(at(result, "packages")).flatMap((one) =>
        list(at(one, "vulnerabilities")).map((record) =>
          readRecord(record, one, textIn(at(result, "source", "path"))),
        ),
      ),
    ),
  };
}

function readRecord(record: unknown, found: unknown, path: string): ScannedVulnerability {
  const id = textIn(at(record, "id"));
  const group = list(at(found, "groups")).find((one) => textsIn(at(one, "ids")).includes(id));
  const names = [...textsIn(at(record, "aliases")), ...textsIn(at(group, "aliases"))];
  const name = textIn(at(found, "package", "name"));
  return {
    id,
    aliases: [...new Set(names)].filter((one) => one !== id),
    ...{ purl: "", name },
    version: textIn(at(found, "package", "version")),
    severity: severityOfScore(textIn(at(group, "max_severity"))),
    fixed: fixedIn(record, name),
    isUnfixable: false,
    description: textIn(at(record, "summary")),
    locations: path === "" ? [] : [path],
  };
}

function severityOfScore(score: string): number {
  const value = Number(score);
  return score === "" || !Number.isFinite(value) ? 0 : severityOfWord(severityOf(value));
}

function fixedIn(record: unknown, name: string): string[] {
  const versions = list(at(record, "affected"))
    .filter((one) => textIn(at(one, "package", "name")) === name)
    .flatMap((one) => list(at(one, "ranges")))
    .filter((range) => textIn(at(range, "type")) !== "GIT")
    .flatMap((range) => list(at(range, "events")))
    .map((event) => textIn(at(event, "fixed")))
    .filter(Boolean);
  return [...new Set(versions)];
}
