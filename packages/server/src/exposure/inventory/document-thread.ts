/** The program of a thread that reads large documents beside the event loop that answers requests. */
import { parentPort } from "node:worker_threads";
import type { DocumentAnswer, DocumentRequest } from "./document-messages.ts";
import { readFile } from "./read-document.ts";

const port = parentPort as NonNullable<typeof parentPort>;

port.on("message", async ({ id, ...request }: DocumentRequest) => {
  try {
    port.postMessage({ id, readings: await readFile(request) } satisfies DocumentAnswer);
  } catch (error) {
    port.postMessage({ id, error: (error as Error).message } satisfies DocumentAnswer);
  }
});
