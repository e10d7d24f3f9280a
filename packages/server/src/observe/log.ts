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

/** Where log lines are written to. */
export type LogOutput = Pick<LineWriter, "write" | "flushSync">;

/**
 * The log: JSON lines, on stderr unless another output is given, written in the background. Secrets
 * are never logged: requests are logged by method and outcome, without headers and bodies.
 */
export function openLog(level: string, lines: LogOutput = new LineWriter(2)): Log {
  return {
    log: new Logger(level, (line) => lines.write(line)),
    startLine: (time) => lineStart("info", time),
    writeLine: (line) => lines.write(`${line}\n`),
    flush: () => lines.flushSync(),
  };
}
