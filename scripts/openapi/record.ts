/** `npm run examples`: records the examples of the OpenAPI document on real servers, and generates the document. */
import { join } from "node:path";
import { loudly, ROOT } from "../step.ts";

process.env.WHARF_RECORD_EXAMPLES = "1";
const tests = ["openapi-examples", "error-texts"].map(
  (name) => `packages/server/test/${name}.test.ts`,
);
process.exitCode =
  (await loudly(process.execPath, join(ROOT, "scripts/test.ts"), ...tests)) ||
  (await loudly(process.execPath, join(ROOT, "scripts/generate.ts")));
