import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { Ajv } from "ajv";
import { sharedData } from "../../server/test/support/shared-data.ts";
import { formats } from "./schemas.ts";

/** Asserts that a document is valid by the published schema of CycloneDX 1.6, where that is beside the repository. */
export function assertCycloneDx(context: TestContext, document: unknown): void {
  const folder = sharedData(context, "schemas/cyclonedx");
  if (folder === undefined) return;
  const read = (name: string) => JSON.parse(readFileSync(join(folder, name), "utf8"));
  const ajv = new Ajv({ strict: false, allErrors: true });
  formats(ajv);
  ajv.addFormat("iri-reference", (text: string) => !/\s/.test(text));
  ajv.addFormat("idn-email", (text: string) => /^\S+@\S+$/.test(text));
  for (const name of ["jsf-0.82", "spdx"]) ajv.addSchema(read(`${name}.schema.json`));
  const validate = ajv.compile(read("bom-1.6.schema.json"));
  assert.ok(validate(document), JSON.stringify(validate.errors, null, 2));
}
