/** Charts: plain SVG with light and dark colors, a title and a description, and nothing from elsewhere. */

const STYLE = `
    .bg { fill: #ffffff; } .grid { stroke: #dde3ea; } .axis { stroke: #46545f; stroke-width: 1.5; }
    .t { fill: #16202b; font-size: 13px; } .s { fill: #46545f; font-size: 12px; } .h { fill: #29598a; font-size: 14px; font-weight: 700; }
    .ours { fill: #2f6fb3; } .missed { fill: url(#hatch); stroke: #b3470b; } .theirs { fill: #9aa7b5; } .stripe { stroke: #b3470b; }
    .bad { fill: #a13d07; font-size: 12px; font-weight: 700; }
    @media (prefers-color-scheme: dark) {
      .bg { fill: #0f151c; } .grid { stroke: #2a3643; } .axis { stroke: #b4c0cc; }
      .t { fill: #eef3f8; } .s { fill: #b4c0cc; } .h { fill: #8fc1f2; }
      .ours { fill: #6ea8e0; } .missed { stroke: #fb9a5c; } .theirs { fill: #5b6a79; } .stripe { stroke: #fb9a5c; }
      .bad { fill: #fdb98a; }
    }`;

/** The hatch of misses: they differ from hits by more than their color. */
const HATCH = `<defs>
    <pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
      <path class="stripe" d="M0 0V6" stroke-width="3"/>
    </pattern>
  </defs>`;

export interface Drawing {
  readonly title: string;
  /** The text alternative of the chart. */
  readonly description: string;
  readonly width: number;
  readonly height: number;
  readonly parts: readonly string[];
}

export function svg({ title, description, width, height, parts }: Drawing): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title desc" font-family="system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif">
  <title id="title">${escaped(title)}</title>
  <desc id="desc">${escaped(description)}</desc>
  <style>${STYLE}
  </style>
  ${HATCH}
  <rect class="bg" width="${width}" height="${height}" rx="8"/>
  ${parts.join("\n  ")}
</svg>
`;
}

export function escaped(text: string): string {
  return text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
}

type Anchor = "start" | "middle" | "end";

export function text(
  x: number,
  y: number,
  content: string,
  kind = "t",
  anchor: Anchor = "start",
): string {
  const at = `x="${round(x)}" y="${round(y)}"`;
  return `<text class="${kind}" ${at} text-anchor="${anchor}">${escaped(content)}</text>`;
}

/** A bar, with a text that shows under the pointer. */
export function bar(
  x: number,
  y: number,
  width: number,
  height: number,
  kind: string,
  tip: string,
): string {
  const size = `width="${round(Math.max(1, width))}" height="${height}"`;
  const tipText = `<title>${escaped(tip)}</title>`;
  return `<rect class="${kind}" x="${round(x)}" y="${round(y)}" ${size} rx="2">${tipText}</rect>`;
}

export function line(x1: number, y1: number, x2: number, y2: number, kind: string): string {
  return `<path class="${kind}" d="M${round(x1)} ${round(y1)}L${round(x2)} ${round(y2)}"/>`;
}

function round(number: number): string {
  return String(Math.round(number * 10) / 10);
}

/** A text that fits a column; the whole text shows under the pointer of its bar. */
export function shortened(content: string, length: number): string {
  return content.length <= length ? content : `${content.slice(0, length - 1).trimEnd()}…`;
}
