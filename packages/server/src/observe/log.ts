import { LineWriter } from "./line-writer.ts";
import { Logger, lineStart } from "./logger.ts";

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
  return {
    log: new Logger(level, (line) => lines.write(line)),
    startLine: (time) => lineStart("info", time),
    writeLine: (line) => lines.write(`${line}\n`),
    flush: () => lines.flushSync(),
  };
}
