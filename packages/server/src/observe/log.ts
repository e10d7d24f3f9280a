import { type Logger, pino } from "pino";

/**
 * The log: JSON lines on stderr, written in the background. Secrets never get here: requests are
 * logged by their method and outcome, not by their headers or bodies.
 *
 * @example const log = openLog("info");
 */
export function openLog(level: string): Logger {
  const destination = pino.destination({ fd: 2, sync: false, minLength: 0 });
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: ["authorization", "token", "*.authorization", "*.token"],
      formatters: { level: (label) => ({ level: label }) },
    },
    destination,
  );
}
