/** docs/performance.md, generated from the stored results. */
import { type Finding, ratioText, type State } from "../finding.ts";
import type { Machine, Result } from "../results.ts";
import type { Section } from "../row.ts";
import { TABLE_HEAD, tableLine } from "../table.ts";

const STATES: readonly State[] = ["met", "missed", "informative", "not measured", "failed"];

/** Above this load before the run, other programs used the machine, too. */
const QUIET_LOAD = 0.5;

/** Rows that list the ratios of earlier commits, too. */
const TREND_SECTION = "One core";

export function performancePage(
  results: readonly Result[],
  sections: readonly Section[],
  findings: readonly Finding[],
  has: { readonly peers: boolean; readonly scale: boolean },
): string {
  const result = results.at(-1) as Result;
  return `${[
    "# Performance",
    "<!-- Made by node bench/pages/main.ts of the files in bench/results. Do not edit. -->",
    `Each row compares the server with a reference in the same run, both measured alternately. A ratio hardly depends on the
machine; absolute figures do. Rows that miss their target are shown as missed.`,
    summaryOf(result, findings),
    "![Rows of the benchmark against their targets](images/performance.svg)",
    has.peers ? "![Requests per second beside peers](images/peers.svg)" : "",
    has.scale ? "[Scale](scale.md) has what single operations cost, and what a machine holds." : "",
    repeat(result),
    "## Results",
    ...sections.map((section) => sectionText(section, findings)),
    historyOf(results, findings),
  ]
    .filter((part) => part !== "")
    .join("\n\n")}\n`;
}

function counts(findings: readonly Finding[]): string {
  const parts = STATES.map((state) => {
    const count = findings.filter((finding) => finding.state === state).length;
    return count === 0 ? "" : `${count} ${state}`;
  });
  return parts.filter((part) => part !== "").join(", ");
}

function summaryOf(result: Result, findings: readonly Finding[]): string {
  const { made, commit, changed, machine, pinning, built } = result;
  const { cores, model = "", arch, platform, memoryGiB, node } = machine;
  const name = model === "" || model === "unknown" ? arch : `${model} (${arch})`;
  const facts = [
    `| measured | ${made.slice(0, 10)}, commit ${commit}${changed ? " with uncommitted changes" : ""} |`,
    `| machine | ${cores} cores, ${name}, ${memoryGiB} GiB, ${platform}, Node.js ${node.slice(1)} |`,
    `| processes | ${pinning}${built ? "" : "; run from sources, not built"} |`,
    `| rows | ${counts(findings)} |`,
  ];
  return `| | |\n|---|---|\n${facts.join("\n")}${busyText(machine)}`;
}

/** A warning about figures of a machine that others used, too. */
export function busyText({ loadBefore = 0 }: Machine): string {
  if (loadBefore <= QUIET_LOAD) return "";
  return `\n\nThe machine was **not idle** before this run (load average ${loadBefore}): figures are worse than they should be, and ratios less exact.`;
}

function repeat({ took }: Result): string {
  const minutes = took === undefined ? "" : ` This one took ${Math.round(took / 60)} minutes.`;
  return `## Repeat it

\`\`\`sh
npm run bench -- --peers          # everything, on a quiet machine; writes bench/results, this page and scale.md
npm run bench -- --quick          # every row at a small size, in three minutes: whether all work
npm run bench -- --resume         # continues an interrupted run of the same commit and options
npm run bench -- --list           # the names of the rows
npm run bench -- --only "TEXT"    # rows with TEXT in their name; --profile "TEXT" with the profiler
node bench/pages/main.ts          # makes the pages again from bench/results
\`\`\`

The first run creates data sets of a million rows in the temporary directory, which takes some minutes, and installs the
Debian packages of PostgreSQL, docker-registry and skopeo if they are missing. \`--peers\` installs Directus (700 MB) and
unpacks Debian's package of PocketBase (60 MB) into \`~/.cache/wharf-bench\`.${minutes}

A server and its reference share one core and are measured in turn; the load runs on another core. Figures are medians
of all measurements of a side. Load on HTTP/1.1 uses keep-alive connections with one request at a time. Notes
have the CPU time per response, which hardly depends on other work of the machine.`;
}

function sectionText({ title, about }: Section, findings: readonly Finding[]): string {
  const rows = findings.filter(({ section }) => section === title);
  if (rows.length === 0) return "";
  const notes = rows
    .filter(({ notes }) => notes.length > 0)
    .map(({ work, notes }) => `- ${work}: ${notes.join("; ")}.`);
  return [
    `### ${title}`,
    about,
    `${TABLE_HEAD}\n${rows.map(tableLine).join("\n")}`,
    notes.length === 0
      ? ""
      : `<details><summary>Notes</summary>\n\n${notes.join("\n")}\n\n</details>`,
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

/** The runs so far, and the ratios of some rows in each of them. */
function historyOf(results: readonly Result[], findings: readonly Finding[]): string {
  const works = findings
    .filter(({ section, figures }) => section === TREND_SECTION && figures !== undefined)
    .map(({ work }) => work);
  const cell = ({ findings }: Result, work: string) => {
    const ratio = findings.find((finding) => finding.work === work)?.figures?.ratio;
    return ratio === undefined ? "–" : ratioText(ratio);
  };
  const head = ["measured", "commit", "rows", ...works];
  const lines = results.map((result) =>
    [
      result.made.slice(0, 10),
      result.commit,
      counts(result.findings),
      ...works.map((work) => cell(result, work)),
    ].join(" | "),
  );
  return `## Earlier commits

| ${head.join(" | ")} |
|${head.map(() => "---").join("|")}|
${lines.map((one) => `| ${one} |`).join("\n")}`;
}
