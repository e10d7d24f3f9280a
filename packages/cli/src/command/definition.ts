import type { ConfigKey } from "../config/keys.ts";
import type { Context } from "../context.ts";
import type { ArgsOf } from "./types.ts";

/**
 * Commands are data. Parsing, help, completion, man pages and docs/cli.md are all made from what is
 * here; the code that a command runs is loaded only when it runs.
 */

/** One thing to pick from. */
export interface Choice {
  readonly value: string;
  readonly label?: string;
  readonly hint?: string;
}

/** Where values come from when none was given, or while one is being typed. */
interface Asked {
  /** Candidates for the shell's completion. May ask the server; failures are silent. */
  readonly complete?: (context: Context) => Promise<readonly string[]>;
  /** What people at a terminal pick from when a required value is missing. */
  readonly pick?: (context: Context) => Promise<readonly Choice[]>;
}

export interface Argument extends Asked {
  /** As help shows it, in lower case: `name` is shown as NAME and arrives as `args.name`. */
  readonly name: string;
  readonly summary: string;
  readonly required?: boolean;
  /** Takes all that is left; only the last argument can. */
  readonly variadic?: boolean;
}

interface OptionBase extends Asked {
  readonly summary: string;
  /** One letter: `o` for `-o`. */
  readonly short?: string;
  /** Other long names. */
  readonly aliases?: readonly string[];
  /** Shown for the value in help: NAME, URL. */
  readonly value?: string;
  readonly required?: boolean;
  /** The variable that is read when the option is not given. */
  readonly env?: string;
  /** The key of the config file that is read when neither is. */
  readonly config?: ConfigKey;
  /** Left out of help and documents. */
  readonly hidden?: boolean;
}

export type Option = OptionBase &
  (
    | { readonly type: "string"; readonly default?: string }
    | { readonly type: "number"; readonly default?: number }
    | { readonly type: "boolean"; readonly default?: boolean }
    /** Repeated, or with commas; where commas are part of values, only repeated. */
    | { readonly type: "list"; readonly whole?: boolean }
    /** Such as `168h`, `7d`, `30m` or `1h30m`; arrives in seconds. */
    | { readonly type: "duration"; readonly default?: string }
    | {
        readonly type: "choice";
        readonly choices: readonly string[];
        readonly default?: string;
      }
    /** Names a file, `-` for standard input; its text arrives. */
    | { readonly type: "file" }
  );

/** By long name in kebab case: `single-use` is given as `--single-use` and arrives as `args.singleUse`. */
export type Options = Readonly<Record<string, Option>>;

export interface Example {
  readonly command: string;
  /** What it does, in a few words. */
  readonly shows?: string;
}

export interface Definition<
  Arguments extends readonly Argument[] = readonly Argument[],
  Opts extends Options = Options,
> {
  readonly name: string;
  readonly aliases?: readonly string[];
  /** One line without a full stop, beginning with a verb. */
  readonly summary: string;
  /** Paragraphs, divided by empty lines. */
  readonly description?: string;
  readonly examples: readonly [Example, ...Example[]];
  readonly arguments?: Arguments;
  readonly options?: Opts;
  /** Asks before it acts, unless `-y` is given; without a terminal, `-y` is needed. */
  readonly destructive?: boolean;
  /** Formats that the command prints itself when `-o` names them, beside those of every command. */
  readonly outputs?: readonly string[];
  /**
   * Reads its own words: they arrive as `args.words`, without a context, and options are for help
   * and completion alone.
   */
  readonly raw?: boolean;
  /** Runs with defaults when the config file cannot be used: it is what tells, or mends. */
  readonly despiteConfig?: boolean;
  readonly hidden?: boolean;
}

/** What a command's module exports. */
export interface Module<Args> {
  run(context: Context, args: Args): Promise<void>;
}

/** A definition with the code that it runs. */
export interface Command extends Definition {
  readonly kind: "command";
  readonly load: () => Promise<Module<never>>;
}

export interface Group {
  readonly kind: "group";
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly commands: readonly (Command | Group)[];
  /** The command among them that is meant when the word after the group names none of them. */
  readonly otherwise?: string;
  readonly hidden?: boolean;
}

export type Node = Command | Group;

/** Defines what a command takes. Kept apart from its code so that the code can name its type. */
export function define<
  const Arguments extends readonly Argument[] = readonly [],
  const Opts extends Options = Record<never, never>,
>(definition: Definition<Arguments, Opts>): Definition<Arguments, Opts> {
  return definition;
}

/** Joins a definition and its code. */
export function command<Arguments extends readonly Argument[], Opts extends Options>(
  definition: Definition<Arguments, Opts>,
  load: () => Promise<Module<ArgsOf<Arguments, Opts>>>,
): Command {
  return { ...definition, kind: "command", load } as Command;
}

/** Commands under a common word. */
export function group(definition: Omit<Group, "kind">): Group {
  return { kind: "group", ...definition };
}
