import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { gapsOf, isKnown } from "./state-text.ts";

describe("what is not known of the packages of an image", () => {
  test("is said in words unless they are known", () => {
    assert.deepEqual(gapsOf({ state: "INVENTORY_STATE_KNOWN" }), []);
    assert.match(gapsOf({ state: "INVENTORY_STATE_NONE" }).join(), /no SBOM.*no package database/);
    assert.match(gapsOf({ state: "INVENTORY_STATE_WAITING" }).join(), /being read/);
    assert.match(gapsOf({}).join(), /have not been read/);
    assert.match(gapsOf(undefined).join(), /have not been read/);
  });

  test("names the documents that were refused, or what is wrong with the layers", () => {
    const documents = [{ digest: "sha256:1", refusal: "not_json", description: "it is not JSON" }];
    const state = "INVENTORY_STATE_REFUSED";
    const unclear = "Nothing can be said about vulnerabilities of this image.";
    assert.deepEqual(gapsOf({ state, description: "the document it is not JSON", documents }), [
      "Document refused: it is not JSON.",
      unclear,
    ]);
    assert.deepEqual(gapsOf({ state, description: "the layers cannot be read", documents }), [
      "The layers cannot be read.",
      "Document refused: it is not JSON.",
      unclear,
    ]);
    assert.deepEqual(gapsOf({ state: "INVENTORY_STATE_KNOWN", documents }), [
      "Document refused: it is not JSON.",
    ]);
  });

  test("has the components without package URL once, and every other remark", () => {
    const gaps = gapsOf({
      state: "INVENTORY_STATE_KNOWN",
      componentsWithoutPurl: 3,
      remarks: ["3 components have no package URL", "the release of the distribution is unknown"],
    });
    assert.deepEqual(gaps, [
      "3 components without package URL: nothing is known about them.",
      "The release of the distribution is unknown.",
    ]);
  });

  test("makes a difference for findings", () => {
    assert.equal(isKnown({ state: "INVENTORY_STATE_KNOWN" }), true);
    assert.equal(isKnown({ state: "INVENTORY_STATE_REFUSED" }), false);
    assert.equal(isKnown(undefined), false);
  });
});
