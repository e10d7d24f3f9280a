import assert from "node:assert/strict";
import * as mandatory from "@secvisogram/csaf-validator-lib/mandatoryTests.js";
import validate from "@secvisogram/csaf-validator-lib/validate.js";

/**
 * For tests: asserts that a document passes all mandatory tests of CSAF 2.0 (section 6.1), by the validator of
 * Secvisogram.
 *
 * @example await assertPassesCsaf(document);
 */
export async function assertPassesCsaf(document: unknown): Promise<void> {
  const { tests } = await validate(Object.values(mandatory), document);
  assert.ok(tests.length > 40);
  const failed = tests.filter(({ isValid }) => !isValid);
  assert.deepEqual(
    failed.map(({ name, errors }) => ({ name, errors })),
    [],
  );
}
