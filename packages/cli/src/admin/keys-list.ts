import type { ListedKey } from "@wharf/server/app/listed-keys.ts";
import type { Run } from "../command/types.ts";
import type { keysListDefinition } from "./commands.ts";
import { printRows } from "./rows.ts";

export const run: Run<typeof keysListDefinition> = async (_context, { words }) => {
  const { listKeys } = await import("@wharf/server/app/admin-keys.ts");
  await printRows(words, listKeys, {
    header: ["KID", "USE", "ALGORITHM", "STATE", "CREATED", "RETIRES"],
    row: ({ kid, use, algorithm, state, created, retires = "" }: ListedKey) => [
      ...[kid, use, algorithm, state, created, retires],
    ],
  });
};
