import { setTimeout as sleep } from "node:timers/promises";
import { LAST_BATCH, type Marker } from "./batches.ts";
import type { Connection } from "./connection.ts";
import type { ConnectionSource } from "./transactions.ts";

/** The interval of attempts to reach the database. */
const RETRY_MS = 100;

/**
 * Whether a batch was committed whose COMMIT got no answer; undefined if the database does not tell in time.
 *
 * The answer is final. The statement writes, so only a primary answers it, and it waits until the
 * transaction has ended: its session can still be at work, or not know yet that the connection is broken.
 * After a failover, the new primary has the marker exactly if it has the writes of the batch. If it lacks
 * them, because it was an asynchronous standby, they are lost and the batch can run again.
 */
export async function wasCommitted(
  source: ConnectionSource,
  { connection, batch }: Marker,
  timeoutMs: number,
): Promise<boolean | undefined> {
  const deadline = performance.now() + timeoutMs;
  for (let left = timeoutMs; left > 0; left = deadline - performance.now()) {
    let client: Connection | undefined;
    try {
      client = await source.open();
      await client.query(`SET lock_timeout = ${Math.ceil(left)}`);
      const { rows } = await client.query(LAST_BATCH, [connection]);
      return rows[0].batch === batch;
    } catch {
      await sleep(RETRY_MS);
    } finally {
      if (client !== undefined) source.discard(client);
    }
  }
  return undefined;
}
