import { isatty } from "node:tty";
import { isoTime } from "../lib/iso-time.ts";
import { LineWriter } from "./line-writer.ts";
import type { Metrics } from "./metrics.ts";
import { textLines } from "./text-lines.ts";

/** Levels of the log, by severity; `silent` disables it. */
export const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;

export type LogLevel = (typeof LOG_LEVELS)[number];

/** The fields of a log line besides its level, time and message. */
export type LogFields = Readonly<Record<string, unknown>>;

/** Writes log lines as JSON. */
export class Logger {
  readonly #minLevel: number;
  readonly #write: (line: string) => void;
  readonly #worker: number | undefined;

  constructor(level: string, write: (line: string) => void, worker?: number) {
    this.#minLevel = LOG_LEVELS.indexOf(level as LogLevel);
    this.#write = write;
    this.#worker = worker;
  }

  isLevelEnabled(level: LogLevel): boolean {
    return LOG_LEVELS.indexOf(level) >= this.#minLevel;
  }

  info(fields: LogFields, message: string): void {
    this.#log("info", fields, message);
  }

  warn(fields: LogFields, message: string): void {
    this.#log("warn", fields, message);
  }

  error(fields: LogFields, message: string): void {
    this.#log("error", fields, message);
  }

  #log(level: LogLevel, fields: LogFields, message: string): void {
    if (!this.isLevelEnabled(level)) return;
    const start = lineStart(level, Date.now(), this.#worker);
    this.#write(`${start},${textOf({ ...fields, msg: message })}\n`);
  }
}

/** The log, with access to its writer for lines that are formatted elsewhere. */
export interface Log {
  readonly log: Logger;
  /** The start of a line, up to its time. */
  startLine(level: LogLevel, time: number): string;
  writeLine(line: string): void;
  /** Writes buffered lines synchronously, before the process exits. */
  flush(): void;
}

/** Destination of log lines. */
export type LogOutput = Pick<LineWriter, "write" | "flushSync">;

/**
 * Opens the log: JSON lines, with the number of the process if the server has several.
 * Secrets are never logged: requests are logged by method and outcome, without headers and bodies.
 */
export function openLog(level: string, lines: LogOutput, worker?: number): Log {
  return {
    log: new Logger(level, (line) => lines.write(line), worker),
    startLine: (lineLevel, time) => lineStart(lineLevel, time, worker),
    writeLine: (line) => lines.write(`${line}\n`),
    flush: () => lines.flushSync(),
  };
}

/** Writes the log to stderr. Lines that nobody reads are dropped, and counted in a metric and in the log. */
export function stderrOutput(
  metrics: Pick<Metrics, "count">,
  format: "auto" | "json" | "text" = "json",
): LogOutput {
  const isText = format === "text" || (format === "auto" && isatty(2));
  const lines = new LineWriter(2, {
    droppedLine: (dropped) =>
      `${lineStart("warn", Date.now())},${textOf({ dropped, msg: `${dropped} log lines dropped` })}\n`,
    onDropped: (lines) => metrics.count("wharf_log_lines_dropped_total", {}, lines),
  });
  return isText ? textLines(lines) : lines;
}

/** The fields as JSON. Logging must not fail: fields that JSON cannot represent are omitted. */
function textOf(fields: LogFields): string {
  try {
    return JSON.stringify(fields, withErrors).slice(1);
  } catch {
    return JSON.stringify({ msg: fields.msg, omitted: Object.keys(fields) }).slice(1);
  }
}

/** The start of a line: `{"level":"info","time":"2026-11-15T11:34:08.867Z"`. */
function lineStart(level: LogLevel, time: number, worker?: number): string {
  const start = `{"level":"${level}","time":"${isoTime(time)}"`;
  return worker === undefined ? start : `${start},"worker":${worker}`;
}

/** The properties of errors are not enumerable, so JSON would omit them. */
function withErrors(_name: string, value: unknown): unknown {
  if (!(value instanceof Error)) return value;
  const { name, message, stack, cause } = value;
  return { type: name, message, stack, cause, code: (value as NodeJS.ErrnoException).code };
}
