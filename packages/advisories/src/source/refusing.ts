import { Unreadable, unreadable } from "../read/unreadable.ts";
import type { Item } from "./item.ts";

/** What the archive as a whole is refused for is an item like others: what came before stands. */
export async function* refusing(
  name: string,
  items: () => AsyncGenerator<Item>,
): AsyncGenerator<Item> {
  try {
    yield* items();
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    yield { kind: "refused", name, why: error };
  }
}

/** What libraries say of broken archives; other errors, such as a disk's, are none of them. */
export function brokenArchive(format: string, error: unknown): unknown {
  if (error instanceof Unreadable) return error;
  const { code = "", message } = error as NodeJS.ErrnoException;
  const isSystem = code.startsWith("E") && !code.startsWith("ERR_");
  return isSystem ? error : unreadable(`is not a ${format} that can be read: ${message}`);
}
