import { isoTime } from "../lib/iso-time.ts";

/** From what is told most seldom to what is told always; `silent` tells nothing. */
export const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;

export type LogLevel = (typeof LOG_LEVELS)[number];

/** What one line tells beside its level, its time and its message. */
export type LogFields = Readonly<Record<string, unknown>>;

/**
 * Writes what happens as JSON, one object a line.
 *
 * @example new Logger("info", (line) => process.stderr.write(line)).warn({ host }, "registry not read");
 */
export class Logger {
  readonly #least: number;
  readonly #write: (line: string) => void;

  constructor(level: string, write: (line: string) => void) {
    this.#least = LOG_LEVELS.indexOf(level as LogLevel);
    this.#write = write;
  }

  isLevelEnabled(level: LogLevel): boolean {
    return LOG_LEVELS.indexOf(level) >= this.#least;
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
    this.#write(`${lineStart(level, Date.now())},${textOf({ ...fields, msg: message })}\n`);
  }
}

/** The fields of a line. Whatever is told, telling it must not fail: what JSON cannot say is left out. */
function textOf(fields: LogFields): string {
  try {
    return JSON.stringify(fields, withErrors).slice(1);
  } catch {
    return JSON.stringify({ msg: fields.msg, untold: Object.keys(fields) }).slice(1);
  }
}

/**
 * The beginning of a line, up to and with its time.
 *
 * @example lineStart("info", Date.now()) // `{"level":"info","time":"2026-11-15T11:34:08.867Z"`
 */
export function lineStart(level: LogLevel, time: number): string {
  return `{"level":"${level}","time":"${isoTime(time)}"`;
}

/** Errors show nothing of themselves in JSON. */
function withErrors(_name: string, value: unknown): unknown {
  if (!(value instanceof Error)) return value;
  const { name, message, stack, cause } = value;
  return { type: name, message, stack, cause, code: (value as NodeJS.ErrnoException).code };
}
