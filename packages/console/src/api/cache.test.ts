import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { QueryClient } from "@tanstack/react-query";
import { affectedBy } from "./affected.ts";
import { ALL_CAPABILITIES, byResource, capabilityName } from "./capabilities.ts";
import { showGuess } from "./optimistic.ts";

const GROUPS = "/iam/v2beta1/groups";

describe("an optimistic change", () => {
  function cacheWith(data: Readonly<Record<string, unknown>>): QueryClient {
    const cache = new QueryClient();
    for (const [key, value] of Object.entries(data)) cache.setQueryData([GROUPS, key], value);
    return cache;
  }
  const read = (cache: QueryClient, key: string) => cache.getQueryData([GROUPS, key]);

  test("is shown alone, in lists and in pages, and nowhere else", async () => {
    const one = { uid: "a", name: "old", description: "d" };
    const other = { uid: "b", name: "old" };
    const cache = cacheWith({
      get: one,
      list: { groups: [one, other], totalCount: "2" },
      pages: { pages: [{ groups: [other] }, { groups: [one] }], pageParams: ["", "x"] },
      count: "2",
      nothing: null,
    });
    await showGuess(cache, GROUPS, { uid: "a", name: "new" });
    const changed = { uid: "a", name: "new", description: "d" };
    assert.deepEqual(read(cache, "get"), changed);
    assert.deepEqual(read(cache, "list"), { groups: [changed, other], totalCount: "2" });
    assert.deepEqual(read(cache, "pages"), {
      pages: [{ groups: [other] }, { groups: [changed] }],
      pageParams: ["", "x"],
    });
    assert.deepEqual([read(cache, "count"), read(cache, "nothing")], ["2", null]);
    cache.clear();
  });

  test("is taken back as a whole", async () => {
    const before = { groups: [{ uid: "a", name: "old" }] };
    const cache = cacheWith({ list: before });
    const takeBack = await showGuess(cache, GROUPS, { uid: "a", name: "new" });
    assert.notDeepEqual(read(cache, "list"), before);
    takeBack();
    assert.deepEqual(read(cache, "list"), before);
    cache.clear();
  });

  test("does not change what another service returned", async () => {
    const cache = cacheWith({});
    cache.setQueryData(["/iam/v2beta1/roles", "get"], { uid: "a", name: "old" });
    await showGuess(cache, GROUPS, { uid: "a", name: "new" });
    assert.deepEqual(cache.getQueryData(["/iam/v2beta1/roles", "get"]), { uid: "a", name: "old" });
    cache.clear();
  });

  test("does not change the cached objects themselves", async () => {
    const cached = Object.freeze({ uid: "a", name: "old" });
    const cache = cacheWith({ get: cached });
    await showGuess(cache, GROUPS, { uid: "a", name: "new" });
    assert.equal(cached.name, "old");
    cache.clear();
  });
});

describe("events", () => {
  test("invalidate their own service and those that show its resources", () => {
    assert.deepEqual(affectedBy("/iam/v2beta1/groupInvites"), [
      "/iam/v2beta1/groupInvites",
      "/iam/v2beta1/roleBindings",
    ]);
    assert.deepEqual(affectedBy("/unknown"), ["/unknown"]);
    const ofImages = affectedBy("");
    assert.deepEqual(ofImages.slice(0, 2), ["/registry/v2beta1/repos", "/registry/v2beta1/tags"]);
    assert.ok(ofImages.includes("/exposure/v2beta1/findings"));
  });

  test("that change access invalidate the grants of the caller", () => {
    for (const one of [
      "groups",
      "identities",
      "roles",
      "roleBindings",
      "externalGroupRoleMappings",
    ]) {
      assert.ok(affectedBy(`/iam/v2beta1/${one}`).includes("/auth/v1/ok"), one);
    }
  });
});

describe("capabilities", () => {
  test("are grouped by resource, both sorted, none lost", () => {
    const groups = byResource(ALL_CAPABILITIES);
    const names = groups.flatMap(({ capabilities }) => capabilities.map(({ name }) => name));
    assert.deepEqual(names.toSorted(), ALL_CAPABILITIES.map(capabilityName).toSorted());
    assert.equal(new Set(groups.map(({ resource }) => resource)).size, groups.length);
    for (const { resource, capabilities } of groups) {
      const own = capabilities.map(({ name }) => name);
      assert.deepEqual(own, own.toSorted());
      assert.ok(
        own.every((name) => name === resource || name.startsWith(`${resource}.`)),
        resource,
      );
    }
  });

  test("of a later version have their key as name", () => {
    assert.equal(capabilityName("CAP_FUTURE" as never), "CAP_FUTURE");
    assert.deepEqual(byResource([]), []);
  });
});
