import { type ReactNode, type RefObject, useEffect, useId, useRef, useState } from "react";
import { chartTexts } from "../texts/chart.ts";
import { niceMaximum, type Series, stacked } from "./chart-scale.ts";

const HEIGHT = 180;
const TOP = 8;
const LEFT = 52;
const BOTTOM = 24;
const GAP = 2;
/** An x label takes this many pixels, its distance to the next included. */
const LABEL_WIDTH = 84;

/** A chart of stacked columns, with the numbers as a table below. */
export function Chart({
  title,
  columns,
  series,
  isLevel = false,
  format = chartTexts.number,
}: {
  readonly title: string;
  /** The labels of the columns, such as days; the last is the newest. */
  readonly columns: readonly string[];
  readonly series: readonly Series[];
  /** Whether the numbers are of points in time: the legend has the last of them, not their sum. */
  readonly isLevel?: boolean;
  /** The numbers as text. */
  readonly format?: (value: number) => string;
}) {
  const id = useId();
  const summaryOf = (one: Series) => summary(one, isLevel, format);
  const stripes = `${id}-stripes`;
  const [frame, width] = useWidth();
  const totals = columns.map((_, at) =>
    series.reduce((sum, one) => sum + (one.values[at] ?? 0), 0),
  );
  const top = niceMaximum(Math.max(...totals, 1));
  const step = Math.max(1, (width - LEFT) / Math.max(columns.length, 1));
  const y = (value: number) => TOP + (HEIGHT - TOP - BOTTOM) * (1 - value / top);
  const labelEvery = Math.max(1, Math.ceil(LABEL_WIDTH / step));
  return (
    <figure className="chart">
      <figcaption>{title}</figcaption>
      <Legend series={series} stripes={stripes} summaryOf={summaryOf} />
      <div ref={frame}>
        <svg
          width={width}
          height={HEIGHT}
          role="img"
          aria-labelledby={`${id}-title`}
          aria-describedby={`${id}-description`}
        >
          <title id={`${id}-title`}>{title}</title>
          <desc id={`${id}-description`}>
            {chartTexts.description(series.map(summaryOf), isLevel)}
          </desc>
          <Stripes id={stripes} />
          {[0, top / 2, top].map((value) => (
            <g key={value}>
              <line className="grid" x1={LEFT} x2={width} y1={y(value)} y2={y(value)} />
              <text x={LEFT - 8} y={y(value)} dy="0.32em" textAnchor="end">
                {format(value)}
              </text>
            </g>
          ))}
          {columns.map((column, at) => (
            <g key={column}>
              <title>{`${column}: ${series.map((one) => `${format(one.values[at] ?? 0)} ${one.name}`).join(", ")}`}</title>
              <rect
                className="hit"
                x={LEFT + at * step}
                y={TOP}
                width={step}
                height={HEIGHT - TOP - BOTTOM}
              />
              {stacked(series, at).map(({ tone, from, to }) => (
                <rect
                  key={tone}
                  className={`tone ${tone}`}
                  fill={tone === "bad" ? `url(#${stripes})` : undefined}
                  x={LEFT + at * step + GAP / 2}
                  y={y(to)}
                  width={Math.max(1, step - GAP)}
                  height={Math.max(0, y(from) - y(to))}
                />
              ))}
              {at % labelEvery === 0 && (columns.length - at) * step >= LABEL_WIDTH / 2 && (
                <text x={LEFT + at * step} y={HEIGHT - 6}>
                  {column}
                </text>
              )}
            </g>
          ))}
        </svg>
      </div>
      <details>
        <summary>{chartTexts.table}</summary>
        <NumbersTable title={title} columns={columns} series={series} format={format} />
      </details>
    </figure>
  );
}

/** Horizontal bars with their numbers. */
export function Bars({
  title,
  rows,
}: {
  readonly title: string;
  readonly rows: readonly {
    readonly name: string;
    readonly value: number;
    readonly tone?: Series["tone"];
    /** Shown instead of the name, such as a link to these resources. */
    readonly label?: ReactNode;
    /** The value of a full bar. Default: the largest of all rows. */
    readonly of?: number;
    /** Shown instead of the value. */
    readonly text?: string;
  }[];
}) {
  const most = Math.max(...rows.map(({ value }) => value), 1);
  return (
    <figure className="chart">
      <figcaption>{title}</figcaption>
      <ul className="bars">
        {rows.map(({ name, value, tone = "accent", label = name, of = most, text }) => (
          <li key={name}>
            <span>{label}</span>
            <svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
              <rect className="track" width="100" height="10" />
              <rect
                className={`tone ${tone}`}
                width={100 * Math.min(1, of > 0 ? value / of : 1)}
                height="10"
              />
            </svg>
            <span className="number">{text ?? chartTexts.number(value)}</span>
          </li>
        ))}
      </ul>
    </figure>
  );
}

/** The texture of failures, for readers who do not see colors. */
function Stripes({ id }: { readonly id: string }) {
  return (
    <defs>
      <pattern
        id={id}
        width="6"
        height="6"
        patternUnits="userSpaceOnUse"
        patternTransform="rotate(45)"
      >
        <rect className="tone bad" width="6" height="6" />
        <rect className="stripe" width="2" height="6" />
      </pattern>
    </defs>
  );
}

function Legend({
  series,
  stripes,
  summaryOf,
}: {
  readonly series: readonly Series[];
  readonly stripes: string;
  readonly summaryOf: (one: Series) => string;
}) {
  return (
    <ul className="legend">
      {series.map((one) => (
        <li key={one.name}>
          <svg width="12" height="12" aria-hidden="true">
            <rect
              className={`tone ${one.tone}`}
              fill={one.tone === "bad" ? `url(#${stripes})` : undefined}
              width="12"
              height="12"
              rx="2"
            />
          </svg>
          {summaryOf(one)}
        </li>
      ))}
    </ul>
  );
}

function NumbersTable({
  title,
  columns,
  series,
  format,
}: {
  readonly title: string;
  readonly columns: readonly string[];
  readonly series: readonly Series[];
  readonly format: (value: number) => string;
}) {
  return (
    <table aria-label={title}>
      <thead>
        <tr>
          <th scope="col">{chartTexts.time}</th>
          {series.map(({ name }) => (
            <th scope="col" key={name}>
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {columns.map((column, at) => (
          <tr key={column}>
            <td data-label={chartTexts.time}>{column}</td>
            {series.map(({ name, values }) => (
              <td key={name} data-label={name}>
                {format(values[at] ?? 0)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function summary(
  { name, values }: Series,
  isLevel: boolean,
  format: (value: number) => string,
): string {
  const value = isLevel ? (values.at(-1) ?? 0) : values.reduce((sum, one) => sum + one, 0);
  return `${format(value)} ${name}`;
}

/** The width of an element, as it is now. */
function useWidth(): [RefObject<HTMLDivElement | null>, number] {
  const frame = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(640);
  useEffect(() => {
    const { current } = frame;
    if (current === null) return;
    const observer = new ResizeObserver(([entry]) => {
      if (entry !== undefined) setWidth(Math.floor(entry.contentRect.width));
    });
    observer.observe(current);
    return () => observer.disconnect();
  }, []);
  return [frame, width];
}
