import { type ParseArgsOptionsConfig, parseArgs } from "node:util";
import { usageError } from "../errors.ts";
import type { Options } from "./definition.ts";
import { didYouMean } from "./suggest.ts";

export type Token =
  | { kind: "option"; name: string; rawName: string; value?: string; inlineValue?: boolean }
  | { kind: "positional"; value: string }
  | { kind: "option-terminator" };

/** Splits words into options and positionals, without checking them. */
export function parseWords(words: readonly string[], options: Options): Token[] {
  const config: ParseArgsOptionsConfig = {};
  for (const [name, { type, short, aliases = [] }] of Object.entries(options)) {
    const entry = { type: type === "boolean" ? type : "string", multiple: true } as const;
    config[name] = short === undefined ? entry : { ...entry, short };
    for (const alias of aliases) config[alias] = entry;
  }
  const { tokens } = parseArgs({
    args: [...words],
    options: config,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  return tokens as Token[];
}

export interface Scanned {
  /** The raw values of each option by its canonical name. Booleans are "true" or "false". */
  readonly given: ReadonlyMap<string, readonly string[]>;
  readonly positionals: readonly string[];
}

/** Parses words by the options of a command. An unknown option is an error. */
export function scan(words: readonly string[], options: Options): Scanned {
  const given = new Map<string, string[]>();
  const positionals: string[] = [];
  for (const token of parseWords(words, options)) {
    if (token.kind === "positional") positionals.push(token.value);
    if (token.kind !== "option") continue;
    const [name, text] = readToken(token, options);
    given.set(name, [...(given.get(name) ?? []), text]);
  }
  return { given, positionals };
}

type OptionToken = Extract<Token, { kind: "option" }>;

function readToken(token: OptionToken, options: Options): [name: string, text: string] {
  const { rawName, inlineValue } = token;
  const negated = token.name.startsWith("no-") && isBoolean(token.name.slice(3), options);
  const name = negated ? token.name.slice(3) : canonical(token.name, options);
  const option = name === undefined ? undefined : options[name];
  if (name === undefined || option === undefined) throw unknown(rawName, options);
  if (option.removed !== undefined) throw usageError(`${rawName} was removed`, option.removed);
  if (option.type === "boolean") {
    const text = token.value ?? "true";
    if (text !== "true" && text !== "false") throw usageError(`${rawName} takes no value`);
    return [name, negated ? String(text === "false") : text];
  }
  // Users of other tools type `-o=json`.
  const short = rawName.length === 2;
  const value = short && inlineValue ? token.value?.replace(/^=/, "") : token.value;
  if (value === undefined) throw usageError(`${rawName} needs a value`, shape(name, options));
  if (!inlineValue && /^-./.test(value)) {
    throw usageError(
      `${rawName} needs a value`,
      `for a value that begins with a hyphen, write --${name}=${value}`,
    );
  }
  return [name, value];
}

function canonical(name: string, options: Options): string | undefined {
  if (Object.hasOwn(options, name)) return name;
  return Object.keys(options).find((own) => options[own]?.aliases?.includes(name));
}

function isBoolean(name: string, options: Options): boolean {
  return Object.hasOwn(options, name) && options[name]?.type === "boolean";
}

function shape(name: string, options: Options): string | undefined {
  const option = options[name];
  return option?.type === "choice" ? `one of ${option.choices.join(", ")}` : undefined;
}

function unknown(rawName: string, options: Options): Error {
  const names = Object.entries(options)
    .filter(([, { hidden }]) => !hidden)
    .flatMap(([name, { aliases = [] }]) => [name, ...aliases].map((each) => `--${each}`));
  return usageError(
    `unknown option ${rawName}`,
    didYouMean(rawName, names) ?? "--help lists the options",
  );
}
