import { type Logger, pino } from "pino";
import { LineWriter } from "./line-writer.ts";

/** The log, and the way to write lines to it that are already made. */
export interface Log {
  readonly log: Logger;
  /** The beginning of a line of level info, up to and with its time. */
  startLine(time: number): string;
  writeLine(line: string): void;
  /** Waits until everything is written: for the end. */
  flush(): void;
}

/**
 * The log: JSON lines on stderr, written in the background. Secrets never get here: requests are
 * logged by their method and outcome, not by their headers or bodies.
 *
 * @example const { log } = openLog("info");
 */
export function openLog(level: string): Log {
  const lines = new LineWriter(2);
  const log = pino(
    {
      level,
      base: null,
      timestamp: () => timeField(Date.now()),
      formatters: { level: (label) => ({ level: label }) },
    },
    lines,
  );
  return {
    log,
    startLine: (time) => `{"level":"info"${timeField(time)}`,
    writeLine: (line) => lines.write(`${line}\n`),
    flush: () => lines.flushSync(),
  };
}

let second = 0;
let upToSecond = "";

/** The time in ISO 8601, of which all but the milliseconds is made once a second. */
function timeField(now: number): string {
  const thisSecond = Math.floor(now / 1000);
  if (thisSecond !== second) {
    second = thisSecond;
    upToSecond = new Date(thisSecond * 1000).toISOString().slice(0, 20);
  }
  return `,"time":"${upToSecond}${String(now % 1000).padStart(3, "0")}Z"`;
}
