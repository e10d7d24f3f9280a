import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { csafDocument } from "../../src/publish/csaf.ts";
import { packageOf } from "../../src/publish/names.ts";
import { assertPassesCsaf } from "../csaf-validator.ts";
import { randomAdvisories } from "../random-advisories.ts";
import { EACH_KIND, PUBLICATION } from "../samples.ts";

// Loading the validator takes longer than validating.
describe("the mandatory tests of CSAF 2.0", () => {
  test("pass for every event type", async () => {
    await assertPassesCsaf(csafDocument(EACH_KIND, PUBLICATION));
    const packages = Map.groupBy(randomAdvisories(5, 200), (one) => JSON.stringify(packageOf(one)));
    for (const about of packages.values()) {
      const document = csafDocument(about, PUBLICATION);
      if (document !== undefined) await assertPassesCsaf(document);
    }
  });

  test("fail for documents that contradict themselves", async () => {
    // biome-ignore lint/suspicious/noExplicitAny: tests change arbitrary parts of it.
    const document = csafDocument(EACH_KIND, PUBLICATION) as any;
    document.product_tree.full_product_names.push(document.product_tree.full_product_names[0]);
    await assert.rejects(assertPassesCsaf(document), /mandatoryTest_6_1_2'/);
  });
});
