import type { Run } from "../../command/types.ts";
import type { endDefinition } from "./commands.ts";

export const run: Run<typeof endDefinition> = async ({ client, err, signal }, { session: ids }) => {
  const { sessions } = await client();
  for (const id of ids) {
    await sessions.end({ id }, { signal });
    err.note(`ended session ${id}`);
  }
};
