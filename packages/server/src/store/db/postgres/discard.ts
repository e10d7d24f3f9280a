import type { Client } from "pg";

/** Closes a connection without waiting for the other side, which may be silent. */
export function discard(client: Client): void {
  client.end().catch(() => {});
  (
    client as unknown as { connection: { stream: { destroy(): void } } }
  ).connection.stream.destroy();
}
