import { isUid } from "@wharf/contract";
import type { Context } from "../context.ts";
import { CommandError, EXIT, notFound, usageError } from "../errors.ts";
import { placesOf } from "./group-names.ts";
import { resolveGroup } from "./groups.ts";
import type { Kind, Named, Wanted } from "./kinds.ts";

/** More that have the same name are not read through. */
const CANDIDATES = 10;

/** Which of those that have the name can be meant at all. */
export type Usable<T> = (one: T) => boolean;

/** The thing that someone means: by uid, by name, or by the names on the way to it. */
export async function resolve<T extends Named>(
  context: Context,
  kind: Kind<T>,
  text: string,
  usable: Usable<T> = () => true,
): Promise<T> {
  const { signal } = context;
  if (isUid(text)) return kind.get(await context.client(), text, { signal });
  const found = await findByPath(context, kind, text, usable);
  return only(context, kind, text, found);
}

/**
 * The same where the uid is enough: one that is given is not looked up, so that it may belong to
 * someone who has yet to come.
 */
export async function resolveUid<T extends Named>(
  context: Context,
  kind: Kind<T>,
  text: string,
  usable?: Usable<T>,
): Promise<string> {
  return isUid(text) ? text : (await resolve(context, kind, text, usable)).uid;
}

async function findByPath<T extends Named>(
  context: Context,
  kind: Kind<T>,
  text: string,
  usable: Usable<T>,
): Promise<T[]> {
  const whole = kind.slashes || !text.includes("/");
  const found = whole ? await named(context, kind, { name: text }, usable) : [];
  if (found.length > 0) return found;
  for (const at of slashesOf(text, kind.slashes === true)) {
    const group = await groupIfAny(context, text.slice(0, at));
    if (group === undefined) continue;
    const wanted = { name: text.slice(at + 1), uidp: { childrenOf: group.uid } };
    const below = await named(context, kind, wanted, usable);
    if (below.length > 0) return below;
  }
  return [];
}

/** Where the names of groups may end: at the last slash, or at any where names have slashes. */
function slashesOf(text: string, all: boolean): number[] {
  const found = [...text.matchAll(/\//g)].map(({ index }) => index).reverse();
  return all ? found : found.slice(0, 1);
}

async function groupIfAny(context: Context, text: string) {
  try {
    return await resolveGroup(context, text);
  } catch (error) {
    if (error instanceof CommandError && error.problem.exitCode === EXIT.notFound) return undefined;
    throw error;
  }
}

async function named<T extends Named>(
  { client, signal }: Context,
  kind: Kind<T>,
  wanted: Wanted,
  usable: Usable<T>,
): Promise<T[]> {
  const found: T[] = [];
  for await (const one of kind.list(await client(), wanted, { signal })) {
    if (usable(one) && found.push(one) >= CANDIDATES) break;
  }
  return found;
}

async function only<T extends Named>(
  context: Context,
  { one, many, listed }: Kind<T>,
  text: string,
  found: readonly T[],
): Promise<T> {
  const [first, second] = found;
  if (first === undefined) {
    throw notFound(`no ${one} is named "${text}"`, `\`${listed}\` shows what there is`);
  }
  if (second === undefined) return first;
  const places = await placesOf(
    context,
    found.map(({ uid }) => uid),
  );
  const lines = found.map(({ uid, name, description }) =>
    [uid, `${places.get(uid)}${name}`, description].filter(Boolean).join("  "),
  );
  throw usageError(
    `${found.length}${found.length === CANDIDATES ? " or more" : ""} ${many} are named "${text}"`,
    ["give the uid of one, or the names on the way to it:", ...lines].join("\n    "),
  );
}
