import { line, round, svg, text } from "./svg.ts";

/** A curve of a chart. */
export interface Curve {
  readonly name: string;
  readonly points: readonly (readonly [x: number, y: number])[];
  /** One of four; together with dashes, it distinguishes curves. */
  readonly color: number;
  readonly isDashed: boolean;
}

export interface LineChart {
  readonly title: string;
  readonly description: string;
  readonly x: string;
  readonly y: string;
  readonly curves: readonly Curve[];
}

const WIDTH = 960;
const HEIGHT = 420;
const PLOT = { left: 70, right: 750, top: 56, bottom: 360 };
const LABEL_HEIGHT = 16;

/** A chart with logarithmic axes, whose curves are named at their ends. */
export function lineChart({ title, description, x, y, curves }: LineChart): string {
  const points = curves.flatMap((curve) => curve.points);
  const xs = scaleOf(
    points.map(([value]) => value),
    PLOT.left,
    PLOT.right,
  );
  const ys = scaleOf(
    points.map(([, value]) => value),
    PLOT.bottom,
    PLOT.top,
  );
  const grid = [
    ...xs.ticks.flatMap((tick) => [
      line(xs.at(tick), PLOT.top, xs.at(tick), PLOT.bottom, "grid"),
      text(xs.at(tick), PLOT.bottom + 18, tick.toLocaleString("en"), "s", "middle"),
    ]),
    ...ys.ticks.flatMap((tick) => [
      line(PLOT.left, ys.at(tick), PLOT.right, ys.at(tick), "grid"),
      text(PLOT.left - 8, ys.at(tick) + 4, tick.toLocaleString("en"), "s", "end"),
    ]),
  ];
  const drawn = curves.map((curve) => {
    const path = curve.points.map(([px, py]) => `${round(xs.at(px))} ${round(ys.at(py))}`);
    return stroke(curve, `M${path.join("L")}`);
  });
  return svg({
    ...{ title, description, width: WIDTH, height: HEIGHT },
    parts: [
      text(16, 26, title, "t"),
      text(PLOT.left, 46, y, "s"),
      text((PLOT.left + PLOT.right) / 2, HEIGHT - 14, x, "s", "middle"),
      ...grid,
      line(PLOT.left, PLOT.bottom, PLOT.right, PLOT.bottom, "axis"),
      line(PLOT.left, PLOT.top, PLOT.left, PLOT.bottom, "axis"),
      ...drawn,
      ...labels(curves, (curve) => ys.at(curve.points.at(-1)?.[1] ?? 1), xs),
    ],
  });
}

/** The names of curves beside their ends, moved apart where they would overlap. */
function labels(curves: readonly Curve[], endOf: (curve: Curve) => number, xs: Scale): string[] {
  const sorted = curves.map((curve) => ({ curve, y: endOf(curve) })).sort((a, b) => a.y - b.y);
  const total = sorted.length * LABEL_HEIGHT;
  let next = Math.max(PLOT.top, Math.min(...sorted.map(({ y }) => y), PLOT.bottom - total));
  return sorted.flatMap(({ curve, y }) => {
    const baseline = Math.max(next, y);
    next = baseline + LABEL_HEIGHT;
    const end = xs.at(curve.points.at(-1)?.[0] ?? 1);
    const from = PLOT.right + 8;
    return [
      `<path class="grid" d="M${round(end)} ${round(y)}L${round(from)} ${round(baseline)}"/>`,
      stroke(curve, `M${from} ${round(baseline)}h24`),
      text(from + 30, baseline + 4, curve.name, "s"),
    ];
  });
}

function stroke({ color, isDashed }: Curve, path: string): string {
  const dashes = isDashed ? ' stroke-dasharray="7 4"' : "";
  return `<path class="line c${color}"${dashes} d="${path}"/>`;
}

interface Scale {
  readonly ticks: readonly number[];
  at(value: number): number;
}

/** A logarithmic scale with ticks at 1, 2 and 5. */
function scaleOf(values: readonly number[], from: number, to: number): Scale {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const [first, last] = [roundedDown(low), roundedUp(high)];
  const ticks: number[] = [];
  for (let power = Math.floor(Math.log10(first)); power <= Math.ceil(Math.log10(last)); power++) {
    for (const digit of [1, 2, 5]) {
      const tick = Number((digit * 10 ** power).toPrecision(1));
      if (tick >= first * 0.999 && tick <= last * 1.001) ticks.push(tick);
    }
  }
  const range = Math.log(last / first);
  return { ticks, at: (value) => from + (Math.log(value / first) / range) * (to - from) };
}

function roundedDown(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  const digit = [5, 2, 1].find((one) => one * power <= value * 1.001) ?? 1;
  return digit * power;
}

function roundedUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  const digit = [1, 2, 5, 10].find((one) => one * power >= value * 0.999) ?? 10;
  return digit * power;
}
