/**
 * The program of a layer process: reads the layers of one image, which anybody may have made, and answers with their
 * inventory as one JSON text on its standard output. It gets open descriptors, and may open nothing itself.
 */
import { readFileSync } from "node:fs";
import { setPriority } from "node:os";
import { FIRST_DESCRIPTOR } from "../../lib/child-program.ts";
import { decompress } from "./decompress.ts";
import type { LayerTask } from "./layer-task.ts";
import { readTask } from "./read-task.ts";

/** As `nice` counts: requests come first. */
const PRIORITY = 10;

try {
  setPriority(PRIORITY);
} catch {
  // A sandbox forbids it: layers compete with requests.
}
// The server has ended.
process.on("disconnect", () => process.exit(1));

let descriptor = FIRST_DESCRIPTOR;
const task = JSON.parse(readFileSync(descriptor++, "utf8")) as LayerTask;
void readTask(task, () => decompress(descriptor++)).then((inventory) => {
  process.stdout.write(JSON.stringify(inventory), () => process.exit(0));
});
