import { type Finding, figureText, ratioText } from "../finding.ts";
import { bar, shortened, svg, text } from "./svg.ts";

const WIDTH = 960;
const BARS = { from: 320, width: 420 };
const PAIR_HEIGHT = 58;
const TOP = 46;

type Measured = Finding & Required<Pick<Finding, "figures">>;

function isMeasured(finding: Finding): finding is Measured {
  return finding.figures !== undefined;
}

/** Requests per second of this server and of peers, each pair on a scale of its own. */
export function peerChart(findings: readonly Finding[]): string | undefined {
  const rows = findings.filter(isMeasured);
  if (rows.length === 0) return undefined;
  const parts = rows.flatMap((row, at) => pair(row, TOP + at * PAIR_HEIGHT));
  const sentences = rows.map(({ work, figures, reference }) => {
    const { ours, unit, ratio } = figures;
    return `${work}: ${figureText(ours, unit)}, ${ratioText(ratio)} that of ${reference}.`;
  });
  return svg({
    title: "Requests per second beside peers",
    description: `Each program on one core. ${sentences.join(" ")}`,
    width: WIDTH,
    height: TOP + rows.length * PAIR_HEIGHT + 12,
    parts: [text(16, 26, "Requests per second, each program on one core", "t"), ...parts],
  });
}

function pair({ work, reference, figures }: Measured, y: number): string[] {
  const { ours, reference: theirs, unit } = figures;
  const most = Math.max(ours, theirs);
  const [name] = work.split(", ");
  const one = (value: number, label: string, kind: string, top: number) => {
    const width = (value / most) * BARS.width;
    const figure = figureText(value, unit);
    return [
      text(BARS.from - 10, top + 14, label, "s", "end"),
      bar(BARS.from, top, width, 18, kind, `${label}: ${figure}`),
      text(BARS.from + width + 8, top + 14, figure, "s"),
    ];
  };
  return [
    text(16, y + 14, shortened(name ?? work, 34), "t"),
    ...one(ours, "Wharf", "ours", y),
    ...one(theirs, shortened(reference, 40).split(",")[0] ?? "", "theirs", y + 22),
    text(WIDTH - 16, y + 14, ratioText(figures.ratio), "h", "end"),
  ];
}
