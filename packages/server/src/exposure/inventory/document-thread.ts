/** The program of a thread that reads large documents and reports beside the event loop that answers requests. */
import { parentPort } from "node:worker_threads";
import { readReport } from "../scans/read-report.ts";
import type { DocumentRequest, ReportRequest, ThreadAnswer } from "./document-messages.ts";
import { readFile } from "./read-document.ts";

const port = parentPort as NonNullable<typeof parentPort>;

port.on("message", async ({ id, ...request }: DocumentRequest | ReportRequest) => {
  try {
    const answer =
      "report" in request
        ? { report: readReport(request.report) }
        : { readings: await readFile(request) };
    port.postMessage({ id, ...answer } satisfies ThreadAnswer);
  } catch (error) {
    port.postMessage({ id, error: (error as Error).message } satisfies ThreadAnswer);
  }
});
