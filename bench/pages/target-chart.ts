import { type Finding, marginOf, ratioText, targetText } from "../finding.ts";
import { bar, line, shortened, svg, text } from "./svg.ts";

const WIDTH = 960;
const LABELS = 440;
const BARS = { from: 450, to: 790 };
const ROW_HEIGHT = 22;
const HEAD_HEIGHT = 34;
const TOP = 64;
const MAX_LABEL = 66;

/** The axis is logarithmic; better than this is cut off. */
const RANGE = { least: 0.2, most: 50 };
const TICKS = [0.2, 0.5, 1, 2, 5, 10, 20, 50];

function position(margin: number): number {
  const bounded = Math.min(RANGE.most, Math.max(RANGE.least, margin));
  const share = Math.log(bounded / RANGE.least) / Math.log(RANGE.most / RANGE.least);
  return BARS.from + share * (BARS.to - BARS.from);
}

/** Every row with a target: how many times better or worse than the target it is. */
export function targetChart(findings: readonly Finding[]): string {
  const rows = findings.filter(({ target }) => target !== undefined);
  const sections = Map.groupBy(rows, ({ section }) => section);
  const parts: string[] = [];
  let y = TOP;
  for (const [title, some] of sections) {
    parts.push(text(16, y + 22, title, "h"));
    y += HEAD_HEIGHT;
    for (const finding of some) {
      parts.push(...rowParts(finding, y));
      y += ROW_HEIGHT;
    }
  }
  const axis = TICKS.flatMap((tick) => [
    line(position(tick), TOP - 4, position(tick), y + 4, tick === 1 ? "axis" : "grid"),
    text(position(tick), TOP - 10, tick === 1 ? "target" : `${tick}×`, "s", "middle"),
  ]);
  return svg({
    title: "Rows of the benchmark against their targets",
    description: descriptionOf(rows),
    width: WIDTH,
    height: y + 20,
    parts: [
      text(16, 26, "Distance from the target: right of the line is better than required", "t"),
      ...axis,
      ...parts,
    ],
  });
}

function rowParts({ work, target, figures, state }: Finding, y: number): string[] {
  const baseline = y + 15;
  // Charts have no markup.
  const plain = work.replaceAll("`", "");
  const label = text(LABELS, baseline, shortened(plain, MAX_LABEL), "s", "end");
  if (target === undefined || figures === undefined)
    return [label, text(position(1) + 6, baseline, state, "s")];
  const margin = marginOf(target, figures.ratio);
  const [from, to] = [position(1), position(margin)].sort((a, b) => a - b) as [number, number];
  const values = `${ratioText(figures.ratio)} (${targetText(target)})`;
  const isMissed = state === "missed";
  return [
    label,
    bar(from, y + 4, to - from, 14, isMissed ? "missed" : "ours", `${plain}: ${values}, ${state}`),
    text(
      WIDTH - 16,
      baseline,
      isMissed ? `missed ${values}` : values,
      isMissed ? "bad" : "s",
      "end",
    ),
  ];
}

function descriptionOf(rows: readonly Finding[]): string {
  const count = (state: Finding["state"]) => rows.filter((row) => row.state === state).length;
  const missed = rows.filter(({ state }) => state === "missed").map(({ work }) => work);
  return [
    `${count("met")} of ${rows.length} rows meet their target, ${missed.length} miss it, ${count("not measured") + count("failed")} have no figures.`,
    missed.length === 0 ? "" : `Missed: ${missed.join("; ")}.`,
    "The table below has all values.",
  ]
    .filter((sentence) => sentence !== "")
    .join(" ");
}
