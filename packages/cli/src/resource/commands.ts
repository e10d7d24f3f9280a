import {
  type Argument,
  type Command,
  command,
  type Definition,
  define,
  type Options,
} from "../command/definition.ts";
import type { ArgsOf } from "../command/types.ts";
import { type ByServer, listOptions, NAMED_BY_SERVER, SCOPE } from "./options.ts";
import type { Resource } from "./run.ts";

/**
 * The commands that every kind of resource has. A family gives texts, arguments and filters here,
 * and columns and requests in its `run.ts`, which is loaded only when one of its commands runs.
 */

type Texts = Pick<Definition, "summary" | "description" | "examples">;

/** Names and aliases of the verbs. */
export const LIST = { name: "list", aliases: ["ls"] } as const;
const DESCRIBE = { name: "describe", aliases: ["get", "show"] } as const;
export const DELETE = {
  name: "delete",
  aliases: ["rm"],
  destructive: true,
  writes: true,
} as const;

export interface ResourceCommands {
  readonly list: Texts & {
    /** Options besides the scope. */
    readonly filters?: Options;
    /** Replaces --parent and --recursive. */
    readonly scope?: Options;
    readonly arguments?: readonly Argument[];
    /** The parts of --sort and --filter that the server does. Default: that of resources with a name. */
    readonly byServer?: ByServer;
  };
  readonly describe: Texts & { readonly argument: Argument; readonly options?: Options };
  readonly delete?: Texts & { readonly argument: Argument; readonly options?: Options };
}

/** Arguments of a family's `list`: its filters, the scope, and the requested order. */
export type FilterArgs<Filters extends Options> = ArgsOf<readonly [], Filters & typeof SCOPE> & {
  readonly orderBy?: string | undefined;
};

type Verbs<Spec> = { readonly [Verb in keyof Spec & ("list" | "describe" | "delete")]: Command };

/** The list, describe and delete commands of a kind of resource. */
export function resourceCommands<const Spec extends ResourceCommands>(
  // biome-ignore lint/suspicious/noExplicitAny: a definition does not depend on the kind of resource.
  load: () => Promise<Resource<any, any>>,
  spec: Spec,
): Verbs<Spec> {
  const { list, describe, delete: remove } = spec;
  const { filters = {}, scope = SCOPE, byServer = NAMED_BY_SERVER, ...listTexts } = list;
  const { argument: one, ...describeTexts } = describe;
  const verbs: Partial<Record<"list" | "describe" | "delete", Command>> = {
    list: command(
      define({
        ...LIST,
        ...listTexts,
        options: { ...filters, ...scope, ...listOptions(byServer) },
      }),
      async () => {
        const [run, resource] = await Promise.all([import("./run.ts"), load()]);
        return { run: (context, args) => run.list(context, resource, args as never, byServer) };
      },
    ),
    describe: command(define({ ...DESCRIBE, ...describeTexts, arguments: [one] }), async () => {
      const [run, resource] = await Promise.all([import("./run.ts"), load()]);
      return {
        run: (context, args) => run.describe(context, resource, argumentValue(args, one), args),
      };
    }),
  };
  if (remove !== undefined) {
    const { argument, ...texts } = remove;
    verbs.delete = command(define({ ...DELETE, ...texts, arguments: [argument] }), async () => {
      const [run, resource] = await Promise.all([import("./run.ts"), load()]);
      return {
        run: (context, args) => run.remove(context, resource, argument, args as never),
      };
    });
  }
  return verbs as Verbs<Spec>;
}

function argumentValue(args: object, { name }: Argument): string {
  return (args as Record<string, string>)[name] as string;
}
