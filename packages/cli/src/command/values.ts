import { readFileSync, statSync } from "node:fs";
import { usageError } from "../errors.ts";
import type { Option } from "./definition.ts";
import { parseDuration } from "./duration.ts";
import { didYouMean } from "./suggest.ts";

export type Value = string | number | boolean | readonly string[];

/** Nothing that is given by file comes near this; a device or a film is a mistake. */
const LARGEST_FILE = 16 * 1024 * 1024;

/** Turns the texts given for an option into its value. */
export function readValue(option: Option, source: string, texts: readonly string[]): Value {
  const text = texts.at(-1) as string;
  switch (option.type) {
    case "string":
      return text;
    case "boolean":
      return readBoolean(source, text);
    case "list":
      if (option.whole) return texts;
      return texts.flatMap((each) => each.split(",").map((entry) => entry.trim())).filter(Boolean);
    case "number":
      return readNumber(source, text);
    case "duration":
      return readDuration(source, text);
    case "choice":
      return readChoice(option.choices, source, text);
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
    throw usageError(
      `${source} must be a length of time, not "${text}"`,
      "such as 168h, 7d or 30m",
    );
  }
  return seconds;
}

function readChoice(choices: readonly string[], source: string, text: string): string {
  if (choices.includes(text)) return text;
  throw usageError(
    `${source} must be one of ${choices.join(", ")}, not "${text}"`,
    didYouMean(text, choices),
  );
}

function readFile(source: string, path: string): string {
  try {
    if (path === "-") return readFileSync(0, "utf8");
    if (statSync(path).size > LARGEST_FILE) throw new Error("it is larger than 16 MiB");
    return readFileSync(path, "utf8");
  } catch (error) {
    // Without what was given: it may be the secret itself, where a file with it was wanted.
    const [why] = (error as Error).message.split(", ");
    throw usageError(`${source} cannot be read: ${why}`, "give the name of a file, or - for input");
  }
}
