/** Ports that nobody else listens on. */
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { createServer } from "node:net";

/**
 * Below the ephemeral ports of systems: what is free here stays so until it is used, and while a server restarts. One
 * that the system picked is soon reused.
 */
const LOWEST = 12_000;
const BEYOND = 32_000;

/** Ports that a process tries before any that another may try: most are free at the first try. */
const LANE = 20;

let tried = 0;

/**
 * A port of this machine that nobody listens on, and that no other process gets while this one lives, whether or not
 * somebody listens there just now.
 *
 * @example const port = await freePort();
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = LOWEST + ((process.pid * LANE + tried++) % (BEYOND - LOWEST));
    if ((await isClaimed(port)) && (await isFree(port))) return port;
  }
}

/**
 * Takes the port of the same number for UDP, which nobody here speaks: only one process can have it,
 * and the system takes it back when the process ends, however it ends.
 */
async function isClaimed(port: number): Promise<boolean> {
  const claim = createSocket("udp4");
  claim.bind({ port, address: "127.0.0.1", exclusive: true });
  const isOurs = await comesAbout(once(claim, "listening"));
  if (isOurs) claim.unref();
  else claim.close();
  return isOurs;
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, "127.0.0.1");
  if (!(await comesAbout(once(server, "listening")))) return false;
  server.close();
  await once(server, "close");
  return true;
}

function comesAbout(event: Promise<unknown>): Promise<boolean> {
  return event.then(
    () => true,
    () => false,
  );
}
