import { type Logger, pino } from "pino";

/** Lines are written together once they fill this many bytes: one system call for dozens of requests. */
const BUFFERED_BYTES = 4_096;

/** And at the latest after this long, so that whoever watches the log does not wait. */
const FLUSH_MS = 200;

/**
 * The log: JSON lines on stderr, written in the background. Secrets never get here: requests are
 * logged by their method and outcome, not by their headers or bodies.
 *
 * @example const log = openLog("info");
 */
export function openLog(level: string): Logger {
  const destination = pino.destination({
    fd: 2,
    sync: false,
    minLength: BUFFERED_BYTES,
    periodicFlush: FLUSH_MS,
  });
  return pino(
    {
      level,
      base: null,
      timestamp,
      formatters: { level: (label) => ({ level: label }) },
    },
    destination,
  );
}

let second = 0;
let upToSecond = "";

/** The time in ISO 8601, of which all but the milliseconds is made once a second. */
function timestamp(): string {
  const now = Date.now();
  const thisSecond = Math.floor(now / 1000);
  if (thisSecond !== second) {
    second = thisSecond;
    upToSecond = new Date(thisSecond * 1000).toISOString().slice(0, 20);
  }
  return `,"time":"${upToSecond}${String(now % 1000).padStart(3, "0")}Z"`;
}
