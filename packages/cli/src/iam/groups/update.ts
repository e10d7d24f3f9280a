import type { Context } from "../../context.ts";
import { usageError } from "../../errors.ts";
import { type GroupKind, resolveGroup } from "../../resolve/groups.ts";
import { pairsOf } from "../../resource/pairs.ts";
import { GROUP_COLUMNS } from "./columns.ts";

/** What can be changed of a group; what is undefined stays. */
export interface GroupChanges {
  readonly name: string | undefined;
  readonly description: string | undefined;
  /** As `repositories=10`; `repositories=` takes the limit away. */
  readonly limit: readonly string[];
  /** Of organizations alone. */
  readonly verified?: "yes" | "no" | undefined;
}

/** Changes a group and prints it. */
export async function updateGroup(
  context: Context,
  text: string,
  kind: GroupKind,
  { name, description, limit, verified }: GroupChanges,
): Promise<void> {
  const limits = limitsOf(limit);
  if ([name, description, limits, verified].every((change) => change === undefined)) {
    throw usageError("there is nothing to change", "give --name, --description or --limit");
  }
  const { uid, resourceLimits } = await resolveGroup(context, text, kind);
  const { groups } = await context.client();
  const changes = {
    ...(verified === undefined ? {} : { verified: verified === "yes" }),
    ...(name === undefined ? {} : { name }),
    ...(description === undefined ? {} : { description }),
    ...(limits === undefined ? {} : { resourceLimits: merged(resourceLimits, limits) }),
  };
  const updateMask = Object.keys(changes);
  const request = { group: { uid, ...changes }, updateMask };
  await context.out.one(await groups.update(request, { signal: context.signal }), GROUP_COLUMNS);
}

type Limits = ReadonlyMap<string, number | undefined>;

function limitsOf(texts: readonly string[]): Limits | undefined {
  if (texts.length === 0) return undefined;
  const pairs = Object.entries(pairsOf("--limit", texts));
  return new Map(pairs.map(([name, most]) => [name, most === "" ? undefined : wholeOf(most)]));
}

function wholeOf(text: string): number {
  if (!/^[0-9]{1,9}$/.test(text)) throw usageError(`--limit must be a whole number, not "${text}"`);
  return Number(text);
}

/** The limits that are named now, and the others as they were. */
function merged(before: Readonly<Record<string, number>>, limits: Limits): Record<string, number> {
  const all = new Map([...Object.entries(before), ...limits]);
  return Object.fromEntries(
    [...all].flatMap(([name, most]) => (most === undefined ? [] : [[name, most]])),
  );
}
