import type { CallOptions, Wharf } from "@wharf/client";
import type { Argument } from "../command/definition.ts";
import { shownArgument } from "../command/parse.ts";
import type { Context } from "../context.ts";
import { usageError } from "../errors.ts";
import type { Arrangement } from "../output/arrange.ts";
import type { Column } from "../output/columns.ts";
import { resolveScope } from "../resolve/groups.ts";
import type { HasUid, Kind } from "../resolve/kinds.ts";
import { resolve } from "../resolve/resolve.ts";
import type { ByServer } from "./options.ts";
import { printList } from "./print.ts";
import { definedFields } from "./values.ts";

/** Columns, or a function that looks up the names which columns of these items show. */
export type Columns<T> =
  | readonly Column<T>[]
  | ((context: Context, items: readonly T[]) => Promise<readonly Column<T>[]>);

/** The definition of a kind of resource for list, describe and delete. */
export interface Resource<T extends HasUid, Filters = ScopeArgs> {
  readonly kind: Kind<T>;
  readonly columns: Columns<T>;
  /** Columns of a single resource, if not those of lists. */
  readonly details?: Columns<T>;
  /** Finds the resource that an argument names. Default: by UID, name or path. */
  find?(context: Context, text: string, args: object): Promise<T>;
  /** Finds what to delete, where that takes less than `find`. */
  findToDelete?(context: Context, text: string): Promise<DeletionTarget>;
  /** The resources to list. Default: all in the scope, by name. */
  select?(context: Context, args: Filters): Promise<AsyncIterable<T>>;
  /** Restricts list and delete with --expired. */
  isExpired?(item: T): boolean;
  /** Default: the `delete` method of the kind's service. */
  delete?(wharf: Wharf, uid: string, options: CallOptions): Promise<unknown>;
  /** Whether `-o tree` nests resources by their own UIDs instead of below their groups. */
  readonly nestsItself?: boolean;
}

export interface ScopeArgs {
  readonly parent: string | undefined;
  readonly recursive: boolean;
  readonly name?: string | undefined;
  readonly namePrefix?: string | undefined;
  readonly expired?: boolean;
  /** The requested order, if not the usual one. */
  readonly orderBy?: string | undefined;
}

/** A resource to delete, as the confirmation question names it. */
export interface DeletionTarget {
  readonly uid: string;
  readonly label: string;
  /** A consequence that the confirmation question names. */
  readonly warning?: string;
}

export async function list<T extends HasUid, F extends object>(
  context: Context,
  resource: Resource<T, F>,
  args: F & Arrangement,
  byServer: ByServer,
): Promise<void> {
  const { kind, nestsItself } = resource;
  const { out } = context;
  const { requested, left } = await dividedWork(args, byServer);
  const found = await selected(context, resource, { ...args, ...requested });
  const { items, columns } = await arrangedBy(context, resource, found, left);
  const what = kind.many;
  // Formats without columns need no names.
  const isPlain = PLAIN.has(out.format);
  const neededColumns = typeof columns === "function" && isPlain ? [] : columns;
  if (!nestsItself && (typeof neededColumns !== "function" || out.format === "tree")) {
    const shown = typeof neededColumns === "function" ? [] : neededColumns;
    return printList(context, items, shown, { what, label: kind.label });
  }
  await context.progress(`listing ${what}`, async () => {
    if (typeof neededColumns !== "function") return out.list(items, neededColumns, { what });
    const all = await Array.fromAsync<T>(items);
    await out.list(all, await neededColumns(context, all), { what });
  });
}

/** Filters, sorts and limits what the server has not. */
async function arrangedBy<T extends HasUid, F>(
  context: Context,
  { kind, columns }: Resource<T, F>,
  found: AsyncIterable<T>,
  left: Arrangement,
): Promise<{ readonly items: AsyncIterable<T> | readonly T[]; readonly columns: Columns<T> }> {
  const { sort, filter = [], limit } = left;
  const readsColumns = sort !== undefined || filter.length > 0;
  if (!readsColumns && limit === undefined) return { items: found, columns };
  const { arrange } = await import("../output/arrange.ts");
  if (typeof columns !== "function" || !readsColumns) {
    return { items: arrange(found, typeof columns === "function" ? [] : columns, left), columns };
  }
  // The names that columns show are looked up for all items.
  return context.progress(`listing ${kind.many}`, async () => {
    const all = await Array.fromAsync(found);
    const known = await columns(context, all);
    return { items: arrange(all, known, left), columns: known };
  });
}

/** Output formats that print items, not columns. */
const PLAIN: ReadonlySet<string> = new Set(["id", "json", "yaml"]);

export async function describe<T extends HasUid, F>(
  context: Context,
  resource: Resource<T, F>,
  text: string,
  args: object = {},
): Promise<void> {
  await printOne(context, resource, await find(context, resource, text, args));
}

/** Prints a single resource, such as one that was just created. */
export async function printOne<T extends HasUid, F>(
  context: Context,
  { columns, details = columns }: Resource<T, F>,
  item: T,
): Promise<void> {
  const shown = typeof details === "function" ? await details(context, [item]) : details;
  await context.out.one(item, shown);
}

export function find<T extends HasUid, F>(
  context: Context,
  resource: Resource<T, F>,
  text: string,
  args: object = {},
): Promise<T> {
  return resource.find?.(context, text, args) ?? resolve(context, resource.kind, text);
}

/** Deletes the resources that are named, or all expired ones with --expired. */
export async function remove<T extends HasUid, F extends object>(
  context: Context,
  resource: Resource<T, F>,
  argument: Argument,
  args: F & { readonly expired?: boolean },
): Promise<void> {
  const { kind } = resource;
  const texts = [(args as Record<string, string | string[]>)[argument.name] ?? []].flat();
  if (args.expired !== undefined && args.expired === texts.length > 0) {
    throw usageError(`give either ${shownArgument(argument.name)} or --expired`);
  }
  const targets = args.expired
    ? await Array.fromAsync(await selected(context, resource, args), (item) =>
        deletionTargetOf(kind, item),
      )
    : await Promise.all(
        texts.map(
          async (text) =>
            resource.findToDelete?.(context, text) ??
            deletionTargetOf(kind, await find(context, resource, text)),
        ),
      );
  await deleteAll(context, resource, targets);
}

function deletionTargetOf<T extends HasUid>({ label }: Kind<T>, item: T): DeletionTarget {
  return { uid: item.uid, label: label(item) };
}

async function selected<T extends HasUid, F extends object>(
  context: Context,
  resource: Resource<T, F>,
  args: F & { readonly expired?: boolean },
): Promise<AsyncIterable<T>> {
  const items = await (resource.select?.(context, args) ??
    selectByName(context, resource.kind, args as unknown as ScopeArgs));
  const { isExpired } = resource;
  return args.expired && isExpired ? filtered(items, isExpired) : items;
}

/** All resources in the scope, ordered by name. */
async function selectByName<T extends HasUid>(
  context: Context,
  { service }: Kind<T>,
  args: ScopeArgs,
): Promise<AsyncIterable<T>> {
  const { name, namePrefix } = args;
  const uidp = await resolveScope(context, args);
  const request = { uidp, orderBy: args.orderBy ?? "name", ...definedFields({ name, namePrefix }) };
  return service(await context.client()).listAll(request, { signal: context.signal });
}

/** Divides the work of a list: what the request asks of the server, and what is left. */
async function dividedWork(
  { sort, filter = [], limit, ...others }: Arrangement,
  byServer: ByServer,
): Promise<{ readonly requested: object; readonly left: Arrangement }> {
  if (sort === undefined && filter.length === 0) return { requested: {}, left: { limit } };
  const { divide } = await import("./by-server.ts");
  return divide({ sort, filter, limit }, others, byServer);
}

export async function* filtered<T>(
  items: AsyncIterable<T>,
  matches: (item: T) => boolean,
): AsyncGenerator<T> {
  for await (const item of items) if (matches(item)) yield item;
}

/** Labels that a confirmation question lists. */
const MAX_LABELS = 5;

/** Deletes resources one by one, after one confirmation for all. */
async function deleteAll<T extends HasUid, F>(
  context: Context,
  resource: Resource<T, F>,
  targets: readonly DeletionTarget[],
): Promise<void> {
  const { kind } = resource;
  const { err, signal } = context;
  if (targets.length === 0) return err.note(`no ${kind.many} to delete`);
  await context.confirm(questionOf(kind, targets));
  const wharf = await context.client();
  await context.progress(`deleting ${kind.many}`, async (step) => {
    for (const [index, { uid, label }] of targets.entries()) {
      await (resource.delete?.(wharf, uid, { signal }) ??
        kind.service(wharf).delete?.({ uid }, { signal }));
      err.note(`deleted ${kind.one} ${label}`);
      step.at(index + 1, targets.length);
    }
  });
}

function questionOf<T extends HasUid>(
  { one, many }: Kind<T>,
  targets: readonly DeletionTarget[],
): string {
  const [first] = targets;
  const warnings = new Set(targets.flatMap(({ warning }) => warning ?? []));
  const before = [...warnings].map((warning) => `${warning} `).join("");
  if (targets.length === 1) return `${before}Delete ${one} ${first?.label} (${first?.uid})?`;
  const labels = targets.slice(0, MAX_LABELS).map(({ label }) => label);
  const more = targets.length > MAX_LABELS ? ` and ${targets.length - MAX_LABELS} more` : "";
  return `${before}Delete ${targets.length} ${many}: ${labels.join(", ")}${more}?`;
}
