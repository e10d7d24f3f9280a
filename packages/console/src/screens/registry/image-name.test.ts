import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { attachedName, pushName } from "./image-name.ts";

const HOST = "registry.example.com";
const PATH = ["a1", "a1/b2", "a1/b2/c3"];

function groups(names: readonly string[], verified = true) {
  return PATH.map((uid, at) => ({ uid, name: names[at] ?? "", ...(at === 0 && { verified }) }));
}

describe("the name of images", () => {
  test("is that of an attached registry before others", () => {
    const locations = [
      { host: "old.example", path: "x" },
      { host: "r.example", path: "acme/app", attached: true },
    ];
    assert.equal(attachedName(locations), "r.example/acme/app");
    assert.equal(attachedName(locations.slice(0, 1)), "old.example/x");
    assert.equal(attachedName([]), undefined);
    assert.equal(attachedName(undefined), undefined);
  });

  test("of a push has the names of the groups", () => {
    const name = pushName(HOST, PATH, groups(["acme", "platform", "pay-ments"]), "app");
    assert.equal(name, "registry.example.com/acme/platform/pay-ments/app");
  });

  test("has the id of an organization whose name is not verified", () => {
    const name = pushName(HOST, PATH, groups(["acme", "platform", "x"], false), "app");
    assert.equal(name, "registry.example.com/a1/platform/x/app");
  });

  test("has the id where a name cannot be a component", () => {
    for (const name of ["two words", "-a", "a-", "a..b", "a/b", "", "A", "a___b"]) {
      assert.equal(
        pushName(HOST, PATH, groups(["acme", name, "x"]), "app"),
        "registry.example.com/acme/b2/x/app",
        name,
      );
    }
    for (const name of ["a", "a.b", "a_b", "a__b", "a---b", "0"]) {
      assert.equal(
        pushName(HOST, PATH, groups(["acme", name, "x"]), "app"),
        `registry.example.com/acme/${name}/x/app`,
        name,
      );
    }
  });

  test("has the id of a group that the caller cannot see", () => {
    const some = groups(["acme", "platform", "x"]).slice(1);
    assert.equal(pushName(HOST, PATH, some, "app"), "registry.example.com/a1/platform/x/app");
  });

  test("is unknown without a registry or before groups are loaded", () => {
    assert.equal(pushName(undefined, PATH, groups([]), "app"), undefined);
    assert.equal(pushName(HOST, PATH, undefined, "app"), undefined);
  });
});
