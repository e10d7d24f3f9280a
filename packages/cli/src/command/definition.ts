import type { ConfigKey } from "../config/keys.ts";
import type { Context } from "../context.ts";
import type { ArgsOf } from "./types.ts";

/**
 * Commands are data. Parsing, help, completion, man pages and docs/cli.md all derive from these
 * definitions; the code of a command is loaded only when it runs.
 */

/** An entry of a pick list. */
export interface Choice {
  readonly value: string;
  readonly label?: string;
  readonly hint?: string;
}

interface Suggestions {
  /** Candidates for shell completion. May call the server; failures are silent. */
  readonly complete?: (context: Context) => Promise<readonly string[]>;
  /** The pick list at a terminal when a required value is missing. */
  readonly pick?: (context: Context) => Promise<readonly Choice[]>;
}

export interface Argument extends Suggestions {
  /** In lower case: `name` is shown as NAME and arrives as `args.name`. */
  readonly name: string;
  readonly summary: string;
  readonly required?: boolean;
  /** Takes all remaining words; only the last argument can. */
  readonly variadic?: boolean;
}

interface OptionBase extends Suggestions {
  readonly summary: string;
  /** One letter: `o` for `-o`. */
  readonly short?: string;
  /** Other long names. */
  readonly aliases?: readonly string[];
  /** The placeholder of the value in help: NAME, URL. */
  readonly value?: string;
  readonly required?: boolean;
  /** The environment variable that applies without the flag. */
  readonly env?: string;
  /** The config key that applies without both. */
  readonly config?: ConfigKey;
  /** Omitted from help and docs. */
  readonly hidden?: boolean;
  /** A setting of the server: help shows it after the options of the command itself. */
  readonly ofServer?: boolean;
  /** An option of earlier versions: an error with this hint. */
  readonly removed?: string;
}

export type Option = OptionBase &
  (
    | { readonly type: "string"; readonly default?: string }
    | { readonly type: "number"; readonly default?: number }
    | { readonly type: "boolean"; readonly default?: boolean }
    /** Repeated or comma-separated; only repeated where values contain commas. */
    | { readonly type: "list"; readonly repeatOnly?: boolean }
    /** A duration such as `168h`, `7d`, `30m` or `1h30m`; arrives in seconds. */
    | { readonly type: "duration"; readonly default?: string }
    | {
        readonly type: "choice";
        readonly choices: readonly string[];
        readonly default?: string;
        /** The hint for a value that resembles no choice. */
        readonly hint?: string;
      }
    /** A path, or `-` for standard input; the content arrives. */
    | { readonly type: "file" }
  );

/** By long name in kebab case: `single-use` is written `--single-use` and arrives as `args.singleUse`. */
export type Options = Readonly<Record<string, Option>>;

export interface Example {
  readonly command: string;
  /** A short comment. */
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
  /** Paragraphs, separated by empty lines. */
  readonly description?: string;
  readonly examples: readonly [Example, ...Example[]];
  readonly arguments?: Arguments;
  readonly options?: Opts;
  /** Asks for confirmation without `-y`; without a terminal, `-y` is required. */
  readonly destructive?: boolean;
  /** All its effects are writes through the API: takes `--dry-run`. */
  readonly writes?: boolean;
  /** Values of `-o` that the command prints itself, besides the common ones. */
  readonly outputs?: readonly string[];
  /**
   * Parses its own words: they arrive as `args.words`, without a context, and options only serve
   * help and completion.
   */
  readonly raw?: boolean;
  /** Runs with defaults when the config file is invalid, since it diagnoses or repairs it. */
  readonly ignoresConfigErrors?: boolean;
  readonly hidden?: boolean;
}

/** The code of a command. */
export interface Module<Args> {
  run(context: Context, args: Args): Promise<void>;
}

/** A definition with its code. */
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
  /** The command that runs when the word after the group names none of its commands. */
  readonly fallback?: string;
  readonly hidden?: boolean;
}

export type Node = Command | Group;

/** Defines a command. Separate from its code, so that the code can refer to its type. */
export function define<
  const Arguments extends readonly Argument[] = readonly [],
  const Opts extends Options = Record<never, never>,
>(definition: Definition<Arguments, Opts>): Definition<Arguments, Opts> {
  if (!definition.writes) return definition;
  return { ...definition, options: { ...(definition.options as Opts), ...DRY_RUN } };
}

/** The option of commands that write; the settings have its value. */
const DRY_RUN = {
  "dry-run": {
    type: "boolean",
    summary: "Let the server check and show what would change, without changing anything",
  },
} as const satisfies Options;

type RunOf<Args> = (context: Context, args: Args) => Promise<void>;

/** Joins a definition and its code: the export of a lazily loaded module, `run` by default. */
export function command<
  Arguments extends readonly Argument[],
  Opts extends Options,
  Name extends string = "run",
>(
  definition: Definition<Arguments, Opts>,
  load: () => Promise<{
    readonly [Export in NoInfer<Name>]: RunOf<ArgsOf<NoInfer<Arguments>, NoInfer<Opts>>>;
  }>,
  name: Name = "run" as Name,
): Command {
  const loadRun = async () => ({ run: (await load())[name] });
  return { ...definition, kind: "command", load: loadRun } as unknown as Command;
}

/** Commands under a common word. */
export function group(definition: Omit<Group, "kind">): Group {
  return { kind: "group", ...definition };
}
