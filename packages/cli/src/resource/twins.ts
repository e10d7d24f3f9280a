import type { Context } from "../context.ts";
import { problemOf } from "../problem.ts";

/** Twins that a question names. */
const MAX_SHOWN = 3;

/**
 * Warns of siblings that a new resource would have the name of, which the server allows. Asks at a terminal, without
 * `-y`; elsewhere, a warning must do, since scripts may rely on it.
 */
export async function confirmTwins(
  context: Context,
  group: string,
  find: () => Promise<readonly string[]>,
): Promise<void> {
  const twins = await visibleTwins(context, find);
  if (twins.length === 0) return;
  const more = twins.length > MAX_SHOWN ? ` and ${twins.length - MAX_SHOWN} more` : "";
  const found = `${group} has ${twins.slice(0, MAX_SHOWN).join(", ")}${more} already`;
  if (!context.terminal.isInteractive || context.settings.yes) return context.err.warn(found);
  await context.confirm(`${found}. Create another?`);
}

/** Creating takes no permission to list. */
async function visibleTwins(
  { signal }: Context,
  find: () => Promise<readonly string[]>,
): Promise<readonly string[]> {
  try {
    return await find();
  } catch (error) {
    signal.throwIfAborted();
    if (problemOf(error).code === "PERMISSION_DENIED") return [];
    throw error;
  }
}

/** The child of a group with this name, as a list. */
export async function twinsNamed(
  items: AsyncIterable<{ readonly name: string }>,
  what: string,
): Promise<string[]> {
  for await (const { name } of items) return [`${what} ${name}`];
  return [];
}
