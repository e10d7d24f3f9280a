import type { CallOptions } from "@wharf/client";
import type { Context } from "../context.ts";

/** What is to go. */
export interface Doomed {
  readonly uid: string;
  /** How people know it. */
  readonly label: string;
}

/** As many as a question names. */
const NAMED = 5;

/** Deletes things one after the other, once whoever asked has said yes to all of them. */
export async function deleteAll(
  context: Context,
  kind: { readonly one: string; readonly many: string },
  things: readonly Doomed[],
  remove: (thing: Doomed, options: CallOptions) => Promise<unknown>,
): Promise<void> {
  const { err, signal } = context;
  const [first] = things;
  if (first === undefined) return err.note(`no ${kind.many} to delete`);
  await context.confirm(questionOf(kind, first, things));
  await context.progress(`deleting ${kind.many}`, async (step) => {
    for (const [at, thing] of things.entries()) {
      await remove(thing, { signal });
      err.note(`deleted ${kind.one} ${thing.label}`);
      step.at(at + 1, things.length);
    }
  });
}

function questionOf(
  { one, many }: { readonly one: string; readonly many: string },
  first: Doomed,
  things: readonly Doomed[],
): string {
  if (things.length === 1) return `Delete ${one} ${first.label} (${first.uid})?`;
  const names = things.slice(0, NAMED).map(({ label }) => label);
  const more = things.length > NAMED ? ` and ${things.length - NAMED} more` : "";
  return `Delete ${things.length} ${many}: ${names.join(", ")}${more}?`;
}
