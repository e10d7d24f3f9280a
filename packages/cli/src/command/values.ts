import { readFileSync, statSync } from "node:fs";
import { usageError } from "../errors.ts";
import type { Option } from "./definition.ts";
import { didYouMean } from "./suggest.ts";

type Choices = Extract<Option, { type: "choice" }>;

export type Value = string | number | boolean | readonly string[];

/** Larger than any valid input; a device or the wrong file must not fill the memory. */
const MAX_FILE_BYTES = 16 * 1024 * 1024;

/** Parses the raw values of an option. */
export function readValue(option: Option, source: string, texts: readonly string[]): Value {
  const text = texts.at(-1) as string;
  switch (option.type) {
    case "string":
      return text;
    case "boolean":
      return readBoolean(source, text);
    case "list":
      if (option.repeatOnly) return texts;
      return texts.flatMap((each) => each.split(",").map((entry) => entry.trim())).filter(Boolean);
    case "number":
      return readNumber(source, text);
    case "duration":
      return readDuration(source, text);
    case "choice":
      return readChoice(option, source, text);
    case "file":
      return readFile(source, text);
  }
}

function readBoolean(source: string, text: string): boolean {
  if (text === "true" || text === "1") return true;
  if (text === "false" || text === "0") return false;
  throw usageError(`${source} must be true or false, not "${text}"`);
}

function readNumber(source: string, text: string): number {
  const number = Number(text);
  if (text.trim() === "" || !Number.isFinite(number)) {
    throw usageError(`${source} must be a number, not "${text}"`);
  }
  return number;
}

function readDuration(source: string, text: string): number {
  const seconds = parseDuration(text);
  if (seconds === undefined) {
    throw usageError(`${source} must be a duration, not "${text}"`, "such as 168h, 7d or 30m");
  }
  return seconds;
}

function readChoice({ choices, hint }: Choices, source: string, text: string): string {
  if (choices.includes(text)) return text;
  throw usageError(
    `${source} must be one of ${choices.join(", ")}, not "${text}"`,
    didYouMean(text, choices) ?? hint,
  );
}

function readFile(source: string, path: string): string {
  return readBytes(source, path, MAX_FILE_BYTES).toString("utf8");
}

const MIB = 1024 * 1024;

/** The content of a file, or of standard input. */
export function readBytes(source: string, path: string, maxBytes: number): Buffer {
  try {
    if (path === "-") return readFileSync(0);
    if (statSync(path).size > maxBytes) throw new Error(`larger than ${maxBytes / MIB} MiB`);
    return readFileSync(path);
  } catch (error) {
    // Does not quote the value: it may be the secret itself instead of a file with it.
    const [why] = (error as Error).message.split(", ");
    throw usageError(
      `${source} cannot be read: ${why}`,
      "give a file name, or - for standard input",
    );
  }
}

const SECONDS = { s: 1, m: 60, h: 3_600, d: 86_400, w: 604_800 } as const;

/** Parses a duration such as `1h30m` into seconds; undefined if it is invalid. */
export function parseDuration(text: string): number | undefined {
  if (!/^(\d+(\.\d+)?[smhdw])+$/.test(text)) return undefined;
  let seconds = 0;
  for (const [, amount, unit] of text.matchAll(/([\d.]+)([smhdw])/g)) {
    seconds += Number(amount) * SECONDS[unit as keyof typeof SECONDS];
  }
  return Math.round(seconds);
}
