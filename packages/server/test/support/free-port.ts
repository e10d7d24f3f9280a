import { once } from "node:events";
import { createServer } from "node:net";

/**
 * Below the ports that systems give out by themselves: what is free here stays so until it is used,
 * and while a server restarts. One that the system picked is soon given to someone else.
 */
const LOWEST = 12_000;
const BEYOND = 32_000;

/** Ports that a process tries before any that another may try: it is long from choosing to listening. */
const LANE = 20;

let tried = 0;

/**
 * A port of this machine that nobody listens on.
 *
 * @example const port = await freePort();
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = LOWEST + ((process.pid * LANE + tried++) % (BEYOND - LOWEST));
    const server = createServer().listen(port, "127.0.0.1");
    const isFree = await once(server, "listening").then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    server.close();
    await once(server, "close");
    return port;
  }
}
