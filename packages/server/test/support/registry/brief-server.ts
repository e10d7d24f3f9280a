/** A server whose registry keeps unused content for moments only, as a program that tests kill. */
import { startServer } from "../../../src/app/server.ts";
import { testSettings } from "../server/test-settings.ts";
import { LEASE_MS, SETTLE_MS } from "./brief-times.ts";

const flags = process.argv.slice(2);
const contentTimes = { leaseMs: LEASE_MS, settleMs: SETTLE_MS };
const server = await startServer(await testSettings(flags), { contentTimes });
// Scratch folders end the process at once.
process.removeAllListeners("SIGTERM");
process.once("SIGTERM", async () => {
  await server.stop();
  process.exit(0);
});
console.log(`wharf: ready at ${server.url}`);
