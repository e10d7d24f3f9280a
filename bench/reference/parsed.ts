/** Parses a text as JSON, and returns the CPU milliseconds of one time. */
import { doJobs } from "../program.ts";

export interface ParseJob {
  readonly text: string;
  readonly times: number;
}

doJobs(async ({ text, times }: ParseJob): Promise<number> => {
  const bytes = Buffer.from(text);
  const before = process.cpuUsage();
  for (let at = 0; at < times; at++) JSON.parse(bytes.toString("utf8"));
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / times;
});
