import type { Context } from "../context.ts";
import type { Argument, Definition, Option, Options } from "./definition.ts";

/** The types of the arguments that a command's code receives, from its definition. */

type Camel<Name extends string> = Name extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<Camel<Tail>>}`
  : Name;

type ArgumentValue<A extends Argument> = A extends { variadic: true }
  ? readonly string[]
  : A extends { required: true }
    ? string
    : string | undefined;

type Raw<O extends Option> = O extends { type: "boolean" }
  ? boolean
  : O extends { type: "list" }
    ? readonly string[]
    : O extends { type: "number" | "duration" }
      ? number
      : O extends { type: "choice"; choices: readonly (infer C)[] }
        ? C
        : string;

/** Without the option, booleans are false, lists are empty and others are undefined. */
type OptionValue<O extends Option> = O extends
  | { type: "boolean" | "list" }
  | { required: true }
  | { default: unknown }
  ? Raw<O>
  : Raw<O> | undefined;

type ArgumentValues<A extends readonly Argument[]> = {
  readonly [K in A[number] as Camel<K["name"]>]: ArgumentValue<K>;
};

type OptionValues<O extends Options> = {
  readonly [K in keyof O & string as Camel<K>]: OptionValue<O[K]>;
};

export type ArgsOf<A extends readonly Argument[], O extends Options> = ArgumentValues<A> &
  OptionValues<O> & {
    /** The unparsed words of a raw command; empty for others. */
    readonly words: readonly string[];
  };

/** The type of a command's `run`. */
export type Run<D> =
  D extends Definition<infer A, infer O>
    ? (context: Context, args: ArgsOf<A, O>) => Promise<void>
    : never;
