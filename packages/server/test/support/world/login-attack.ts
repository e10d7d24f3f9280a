import assert from "node:assert/strict";
import { test } from "node:test";
import { Tool } from "../client/oauth-client.ts";
import { rawRows } from "../server/sql.ts";
import type { LoginWorld } from "./login.ts";

const KEPT = ["identities", "role_bindings", "sessions", "group_invites", "provider_people"];

/** How much there is of everything that a login can leave behind. */
export async function leftovers({ server }: LoginWorld): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const table of KEPT) {
    const [row] = await rawRows<{ n: number }>(server, `SELECT COUNT(*) AS n FROM ${table}`);
    counts[table] = Number(row?.n);
  }
  return counts;
}

/**
 * An attack: a test that must leave nothing behind. It gets a tool that waits for a login.
 *
 * @example attack("a forged state", world, async (tool) => { … });
 */
export function attack(
  title: string,
  world: () => LoginWorld,
  run: (tool: Tool) => Promise<void>,
): void {
  test(title, async () => {
    const tool = await Tool.start(world().server.url);
    try {
      const before = await leftovers(world());
      await run(tool);
      assert.deepEqual(await leftovers(world()), before, "something was left behind");
    } finally {
      tool.stop();
    }
  });
}
