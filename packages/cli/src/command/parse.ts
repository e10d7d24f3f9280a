import type { Config } from "../config/file.ts";
import type { Context } from "../context.ts";
import { usageError } from "../errors.ts";
import type { Argument, Command, Node, Option, Options } from "./definition.ts";
import { nameOf } from "./find.ts";
import type { Scanned } from "./scan.ts";
import { readValue, type Value } from "./values.ts";

/** Sources of values in order of precedence: flags, environment variables, config file. */
export interface Sources {
  readonly given: Scanned["given"];
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly config: Config;
}

/** The value of an option by precedence: flag, variable, config file, default. */
export function optionValue(name: string, option: Option, sources: Sources): Value | undefined {
  const given = sources.given.get(name);
  if (given !== undefined) return readValue(option, `--${name}`, given);
  const variable = option.env === undefined ? undefined : sources.environment[option.env];
  if (variable) return readValue(option, option.env as string, [variable]);
  const configured = option.config === undefined ? undefined : sources.config.get(option.config);
  if (configured !== undefined) {
    return readValue(option, `${option.config} in the config file`, [configured]);
  }
  if ("default" in option && option.default !== undefined) {
    return readValue(option, `--${name}`, [String(option.default)]);
  }
  if (option.type === "boolean") return false;
  return option.type === "list" ? [] : undefined;
}

/** `single-use` → `singleUse` */
export function camelCase(name: string): string {
  return name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}

/** The arguments of a command's code. Prompts for missing values; an error without a terminal. */
export async function readArgs(
  context: Context,
  path: readonly Node[],
  positionals: readonly string[],
  sources: Sources,
): Promise<Record<string, Value | undefined>> {
  const command = path.at(-1) as Command;
  const args: Record<string, Value | undefined> = { words: [] };
  for (const [name, option] of Object.entries((command.options ?? {}) as Options)) {
    args[camelCase(name)] = optionValue(name, option, sources);
  }
  readPositionals(path, command.arguments ?? [], positionals, args);
  const missing = missingOf(command, args);
  if (missing.length === 0) return args;
  const names = missing.map(({ shown }) => shown).join(" and ");
  context.prompt.require(`${names} ${missing.length > 1 ? "are" : "is"} missing`, usageOf(path));
  for (const { name, shown, input } of missing)
    args[camelCase(name)] = await promptFor(context, shown, input);
  return args;
}

function readPositionals(
  path: readonly Node[],
  definitions: readonly Argument[],
  positionals: readonly string[],
  args: Record<string, Value | undefined>,
): void {
  const left = [...positionals];
  for (const { name, variadic } of definitions) {
    args[camelCase(name)] = variadic ? left.splice(0) : left.shift();
  }
  if (left.length > 0) throw usageError(`unexpected argument "${left[0]}"`, usageOf(path));
}

interface Missing {
  readonly name: string;
  readonly shown: string;
  readonly input: Argument | Option;
}

function missingOf(command: Command, args: Record<string, Value | undefined>): Missing[] {
  const isMissing = (name: string) => {
    const value = args[camelCase(name)];
    return value === undefined || (Array.isArray(value) && value.length === 0);
  };
  const inOrder = [
    ...(command.arguments ?? []).map((input) => ({
      ...input,
      shown: shownArgument(input.name),
      input,
    })),
    ...Object.entries((command.options ?? {}) as Options).map(([name, input]) => ({
      name,
      shown: `--${name}`,
      required: input.required,
      input,
    })),
  ];
  return inOrder.filter(({ name, required }) => required && isMissing(name));
}

/** Prompts with a pick list if there is one, with a text input otherwise. */
async function promptFor(
  context: Context,
  shown: string,
  input: Argument | Option,
): Promise<Value> {
  const { summary, pick } = input;
  const choices =
    "choices" in input ? input.choices.map((value) => ({ value })) : await pick?.(context);
  const text =
    choices === undefined
      ? await context.prompt.text(`${shown}: ${summary}`)
      : await context.prompt.select(`${shown}: ${summary}`, choices);
  if ("type" in input) return readValue(input, shown, [text]);
  return input.variadic ? [text] : text;
}

export function shownArgument(name: string): string {
  return name.toUpperCase().replaceAll("-", "_");
}

/** The usage line. */
export function usageOf(path: readonly Node[]): string {
  const node = path.at(-1) as Node;
  if (node.kind === "group") return `usage: ${nameOf(path)} COMMAND`;
  const words = (node.arguments ?? []).map(({ name, required, variadic }) => {
    const shown = `${shownArgument(name)}${variadic ? "…" : ""}`;
    return required ? shown : `[${shown}]`;
  });
  const required = Object.entries((node.options ?? {}) as Options)
    .filter(([, option]) => option.required)
    .map(([name, option]) => `--${name} ${valueName(name, option)}`);
  return `usage: ${[nameOf(path), ...words, ...required, "[options]"].join(" ")}`;
}

/** The placeholder of an option's value in help. */
export function valueName(name: string, option: Option): string {
  if (option.value !== undefined) return option.value;
  const byType = { duration: "DURATION", number: "NUMBER", file: "FILE", list: "LIST" } as const;
  return byType[option.type as keyof typeof byType] ?? shownArgument(name);
}
