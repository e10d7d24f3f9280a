import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { vexPath } from "@wharf/advisories/publish";
import { readFeedPath } from "./path.ts";

describe("paths of feeds", () => {
  test("end with the file, whatever the names of folders", () => {
    const file = { kind: "openvex document", key: { type: "npm", name: "@acme/app" } };
    assert.deepEqual(readFeedPath("acme/osv/all.json/openvex/pkg/npm/%40acme%2Fapp/vex.json"), {
      group: "acme/osv/all.json",
      file,
    });
    const group = Array(5_000).fill("osv").join("/");
    assert.deepEqual(readFeedPath(`${group}/osv/all.json`), { group, file: { kind: "osv index" } });
  });

  test("reject what no name contains", () => {
    const bad = [
      "acme/osv/a%00.json",
      "ac%00me/osv/all.json",
      "acme/osv/%ff.json",
      "acme//osv/a.json",
    ];
    for (const path of bad) assert.equal(readFeedPath(path), undefined, path);
  });

  test("lead to documents, without path traversal in archives", () => {
    for (const name of ["..", ".", "...", "a/../b", "gtk+3.0"]) {
      const path = vexPath({ type: "apk", name });
      assert.ok(!path.split("/").some((one) => one === ".." || one === "."), path);
      const found = readFeedPath(`acme/openvex/${path}`);
      assert.deepEqual(found?.file, { kind: "openvex document", key: { type: "apk", name } });
    }
  });
});
