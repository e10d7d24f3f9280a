import type { CallOptions, Wharf } from "@wharf/client";
import type { Argument, Definition, Options } from "../command/definition.ts";
import { camelCase } from "../command/parse.ts";
import type { ArgsOf } from "../command/types.ts";
import type { Context } from "../context.ts";
import { usageError } from "../errors.ts";
import type { HasUid } from "../resolve/kinds.ts";
import { printOne, type Resource } from "./run.ts";
import { definedFields } from "./values.ts";

/** The inputs that a field is computed from. */
interface Input<Args, Current> {
  readonly args: Args;
  readonly context: Context;
  /** The resource before the update. */
  readonly current: Current;
}

/** The new value of a field: that of an option, or a function; undefined keeps the current one. */
type Field<Args, Current> = (keyof Args & string) | ((input: Input<Args, Current>) => unknown);

type FieldValue<F, Args> = F extends keyof Args
  ? Args[F]
  : F extends (input: never) => infer Value
    ? Awaited<Value>
    : never;

type Changes<Fields, Args> = {
  [Name in keyof Fields]?: Exclude<FieldValue<Fields[Name], Args>, undefined>;
};

/**
 * The run function of an `update` command. The field descriptors say which option changes which field, so the update
 * mask follows from the options of the command line.
 */
export function updater<
  A extends readonly Argument[],
  O extends Options,
  T extends HasUid,
  Current extends HasUid,
  const Fields extends Readonly<Record<string, Field<ArgsOf<A, O>, Current>>>,
>(
  definition: Definition<A, O>,
  {
    resource,
    find,
    fields,
    send,
  }: {
    readonly resource: Resource<T, never>;
    /** Finds the resource to update. Takes annotated parameters, for the types of `fields`. */
    readonly find: (context: Context, text: string) => Promise<Current>;
    readonly fields: Fields;
    readonly send: (
      wharf: Wharf,
      changed: { uid: string } & Changes<Fields, ArgsOf<A, O>>,
      updateMask: string[],
      options: CallOptions,
    ) => Promise<T>;
  },
): (context: Context, args: ArgsOf<A, O>) => Promise<void> {
  return async (context, args) => {
    const options = Object.keys(definition.options ?? {});
    const values = args as Readonly<Record<string, unknown>>;
    if (!options.some((option) => isGiven(values[camelCase(option)]))) throw nothing(options);
    const [argument] = definition.arguments ?? [];
    const found = await find(context, values[argument?.name ?? ""] as string);
    const input = { args, context, current: found };
    const changes: Record<string, unknown> = {};
    for (const [name, field] of Object.entries(fields)) {
      changes[name] = typeof field === "function" ? await field(input) : values[field];
    }
    const changed = definedFields(changes);
    const mask = Object.keys(changed);
    if (mask.length === 0) throw nothing(options);
    const message = { uid: found.uid, ...changed } as Parameters<typeof send>[1];
    const updated = await send(await context.client(), message, mask, { signal: context.signal });
    await printOne(context, resource, updated);
  };
}

function isGiven(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  return value !== undefined && value !== false;
}

/** Options that an error lists; more are left to --help. */
const MAX_OPTIONS = 6;

function nothing(options: readonly string[]): Error {
  const flags = options.map((option) => `--${option}`);
  const last = flags.at(-1) ?? "";
  return usageError(
    "nothing to change",
    flags.length > MAX_OPTIONS
      ? "--help lists the options"
      : `give ${[flags.slice(0, -1).join(", "), last].filter(Boolean).join(" or ")}`,
  );
}
