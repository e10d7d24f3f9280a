import type { LogOutput } from "./logger.ts";

/** Fields with a place of their own in a line. */
const PLACED: ReadonlySet<string> = new Set([
  "level",
  "time",
  "msg",
  "method",
  "code",
  "ms",
  "err",
]);

/** Writes the lines of the log for people: a time of day, the level, the message, and its fields. */
export function textLines(output: LogOutput): LogOutput {
  return {
    write: (lines) => output.write(lines.replace(/^\{.*\}$/gm, textLine)),
    flushSync: () => output.flushSync(),
  };
}

/** A line of JSON as text; as it is if it is none. */
export function textLine(line: string): string {
  let fields: Record<string, unknown>;
  try {
    fields = JSON.parse(line);
  } catch {
    return line;
  }
  const { level, time, msg, method, code, ms, err } = fields;
  const what = msg ?? `${method} ${code === 0 ? "ok" : `code ${code}`}`;
  const took = typeof ms === "number" ? [`${ms} ms`] : [];
  const others = Object.entries(fields)
    .filter(([name]) => !PLACED.has(name))
    .map(([name, value]) => `${name}=${shown(value)}`);
  const start = `${String(time).slice(11, 23)} ${String(level).toUpperCase().padEnd(5)} ${what}`;
  return [start, ...took, ...others, ...cause(err)].join("  ");
}

function shown(value: unknown): string {
  return typeof value === "string" && /^[\w.:/@+-]+$/.test(value) ? value : JSON.stringify(value);
}

/** The stack of an error has its message, in lines of their own. */
function cause(err: unknown): string[] {
  if (typeof err !== "object" || err === null) return [];
  const { stack, message } = err as { stack?: string; message?: string };
  return [`\n    ${(stack ?? message ?? "").replaceAll("\n", "\n    ")}`];
}
