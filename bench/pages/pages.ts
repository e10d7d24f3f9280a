/** The pages that are generated from the stored results. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { findingToday } from "../finding.ts";
import { readOptions } from "../options.ts";
import { type Result, readResults } from "../results.ts";
import type { Section } from "../row.ts";
import { sectionsOf } from "../rows/rows.ts";
import { peerChart } from "./peer-chart.ts";
import { performancePage } from "./performance.ts";
import { scalePage } from "./scale.ts";
import { targetChart } from "./target-chart.ts";

const DOCS = join(import.meta.dirname, "../../docs");

/** The files of the pages: contents by path below docs. */
export function pagesOf(
  results: readonly Result[],
  sections: readonly Section[],
): Map<string, string> {
  const measured = results.filter(({ findings }) => findings.length > 0);
  const latest = measured.at(-1);
  if (latest === undefined) throw new Error("bench/results has no results yet: npm run bench");
  const findings = sections.flatMap(({ title, rows }) =>
    rows.map((row) => findingToday(title, row, latest.findings)),
  );
  const peers = peerChart(findings.filter(({ section }) => section === "Peers"));
  const costed = results.findLast(({ costs }) => costs !== undefined);
  const has = { peers: peers !== undefined, scale: costed !== undefined };
  const files = new Map([
    ["performance.md", performancePage(measured, sections, findings, has)],
    ["images/performance.svg", targetChart(findings)],
  ]);
  if (peers !== undefined) files.set("images/peers.svg", peers);
  if (costed !== undefined) files.set("scale.md", scalePage(costed));
  return files;
}

/** Writes the pages and returns their paths. */
export function writePages(): string[] {
  const files = pagesOf(readResults(), sectionsOf(readOptions([])));
  for (const [path, content] of files) writeFileSync(join(DOCS, path), content);
  return [...files.keys()].map((path) => `docs/${path}`);
}
