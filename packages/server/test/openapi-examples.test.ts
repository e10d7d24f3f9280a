/**
 * The examples of the OpenAPI document: each is sent to a server, and must get the response that is recorded.
 * `npm run examples` records them again.
 */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { EXAMPLES_FOLDER, type Example } from "../../../scripts/openapi/examples.ts";
import { formatted } from "../../../scripts/openapi/format.ts";
import { SCENARIOS } from "./openapi/scenarios/all.ts";
import { linesOf, MAX_LINES } from "./openapi/shortened.ts";

/** Formats that allow no less. */
const LONGER: Readonly<Record<string, number>> = {
  feedCsafDocument: 65,
  feedOsvRecord: 45,
  feedOsvEcosystemRecord: 45,
  FindingsService_ListFindings: 45,
  FindingsService_DiffImages: 55,
  FindingsService_GetExposure: 60,
};

const isRecording = process.env.WHARF_RECORD_EXAMPLES !== undefined;

describe("the examples of the OpenAPI document are what a server answers", () => {
  for (const [name, play] of Object.entries(SCENARIOS)) {
    test(name, async () => {
      const recorded = JSON.parse(JSON.stringify(await play()));
      const file = join(EXAMPLES_FOLDER, `${name}.json`);
      if (isRecording) writeFileSync(file, formatted(recorded));
      assert.deepEqual(recorded, JSON.parse(readFileSync(file, "utf8")));
      for (const [operation, { request, responses = {} }] of Object.entries<Example>(recorded))
        for (const body of [request, ...Object.values(responses)])
          assert.ok(linesOf(body) <= (LONGER[operation] ?? MAX_LINES), `${operation} is long`);
    });
  }
});
