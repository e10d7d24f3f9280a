import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  clean,
  isGroupScreen,
  listSearch,
  parentOf,
  pathOf,
  rootOf,
  screenLink,
  screenLocationOf,
} from "./location.ts";
import { GROUP_SCREENS, RESOURCE_SCREENS } from "./screens.ts";

const ROOT = "a".repeat(40);
const FOLDER = `${ROOT}/0123456789abcdef`;
const RESOURCE = `${FOLDER}/fedcba9876543210`;

describe("the location of a page", () => {
  test("of a screen of groups is the screen and the group", () => {
    for (const base of ["", "/console"]) {
      assert.deepEqual(screenLocationOf(`${base}/folders/${FOLDER}`), {
        screen: "folders",
        uid: FOLDER,
        resource: "",
      });
    }
  });

  test("of a screen of one resource is its list, its group and the resource", () => {
    assert.deepEqual(screenLocationOf(`/identity/${RESOURCE}`), {
      screen: "identities",
      uid: FOLDER,
      resource: RESOURCE,
    });
  });

  test("of a form that creates something is the group itself", () => {
    assert.deepEqual(screenLocationOf(`/new-identity/${FOLDER}`), {
      screen: "identities",
      uid: FOLDER,
      resource: FOLDER,
    });
  });

  test("outside of all groups has no group", () => {
    for (const path of ["/organizations", "/console/organizations/", "/account"]) {
      const { uid, resource } = screenLocationOf(path);
      assert.deepEqual([uid, resource], ["", ""], path);
    }
    assert.deepEqual(screenLocationOf("/"), { screen: "", uid: "", resource: "" });
    assert.equal(screenLocationOf("/console/").screen, "");
  });

  test("ignores empty segments, and decodes the others", () => {
    assert.equal(screenLocationOf(`/folders//${ROOT}/`).uid, ROOT);
    assert.equal(screenLocationOf("/audit-entry/a/b%20c").resource, "a/b c");
  });

  test("is what links lead to", () => {
    for (const screen of Object.keys(GROUP_SCREENS)) {
      const { to, params } = screenLink(screen as never, FOLDER);
      const path = to.replace("$", params._splat);
      assert.deepEqual(screenLocationOf(path), { screen, uid: FOLDER, resource: "" });
    }
    for (const [screen, { list, depth }] of Object.entries(RESOURCE_SCREENS)) {
      const uid = [FOLDER, ...Array.from({ length: depth }, () => "x")].join("/");
      const { to, params } = screenLink(screen, uid);
      assert.deepEqual(screenLocationOf(to.replace("$", params._splat)), {
        screen: list,
        uid: FOLDER,
        resource: uid,
      });
    }
  });

  test("has no screens of inherited names", () => {
    for (const name of ["toString", "constructor", "__proto__", "", "identity"]) {
      assert.equal(isGroupScreen(name), false, name);
    }
    assert.ok(Object.keys(GROUP_SCREENS).every(isGroupScreen));
  });
});

describe("uids", () => {
  test("have a path, a root and a parent", () => {
    assert.deepEqual(pathOf(RESOURCE), [ROOT, FOLDER, RESOURCE]);
    assert.equal(rootOf(RESOURCE), ROOT);
    assert.equal(parentOf(RESOURCE), FOLDER);
    assert.equal(parentOf(ROOT), "");
    assert.equal(rootOf(""), "");
    assert.deepEqual(pathOf(""), [""]);
  });

  test("are the last of their path, which continues that of the parent", () => {
    for (const uid of [ROOT, FOLDER, RESOURCE]) {
      assert.equal(pathOf(uid).at(-1), uid);
      assert.deepEqual(pathOf(uid).slice(0, -1), uid === ROOT ? [] : pathOf(parentOf(uid)));
    }
  });
});

describe("the search of a list", () => {
  test("keeps texts, and pages from the second on", () => {
    assert.deepEqual(listSearch({ sort: "name desc", page: 3, begins: "a" }), {
      sort: "name desc",
      page: 3,
      begins: "a",
    });
    assert.deepEqual(listSearch({ page: "2" }), { page: 2 });
  });

  test("ignores edited URLs: empty texts, other types, impossible pages", () => {
    for (const page of [1, 0, -1, 1.5, "x", "", null, undefined, [], {}, true, Number.NaN]) {
      assert.deepEqual(listSearch({ page }), {}, JSON.stringify(page));
    }
    assert.deepEqual(listSearch({ a: "", b: 1, c: null, d: ["x"], e: { f: "g" }, h: false }), {});
  });

  test("is cleaned of what is not set", () => {
    assert.deepEqual(clean({ a: undefined, b: "", c: "x", d: 0, e: null }), {
      c: "x",
      d: 0,
      e: null,
    });
  });
});
