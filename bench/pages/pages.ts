/** The pages that are made of the kept results. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { readOptions } from "../options.ts";
import { type Result, readResults } from "../results.ts";
import { sectionsOf } from "../rows/rows.ts";
import { REQUESTS } from "../simulation/predict.ts";
import { peerChart } from "./peer-chart.ts";
import { performancePage } from "./performance.ts";
import { scaleFiles } from "./scale.ts";
import { targetChart } from "./target-chart.ts";

const DOCS = join(import.meta.dirname, "../../docs");

/** The files of the pages: contents by path below docs. Predictions simulate so many requests each. */
export function pagesOf(results: readonly Result[], requests = REQUESTS): Map<string, string> {
  const measured = results.filter(({ findings }) => findings.length > 0);
  const latest = measured.at(-1);
  if (latest === undefined) throw new Error("bench/results has no results yet: npm run bench");
  const sections = sectionsOf(readOptions([]));
  const peers = peerChart(latest.findings.filter(({ section }) => section === "Peers"));
  const costed = results.findLast(({ costs }) => costs !== undefined);
  const has = { peers: peers !== undefined, scale: costed !== undefined };
  const files = new Map([
    ["performance.md", performancePage(measured, sections, has)],
    ["images/performance.svg", targetChart(latest.findings)],
  ]);
  if (peers !== undefined) files.set("images/peers.svg", peers);
  for (const [path, content] of costed === undefined ? [] : scaleFiles(costed, requests)) {
    files.set(path, content);
  }
  return files;
}

/** Writes the pages and returns their paths. */
export function writePages(): string[] {
  const files = pagesOf(readResults());
  for (const [path, content] of files) writeFileSync(join(DOCS, path), content);
  return [...files.keys()].map((path) => `docs/${path}`);
}
