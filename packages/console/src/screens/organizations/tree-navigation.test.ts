import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { isLetter, itemWithPrefix, type TreeItem, treeMove, typedNext } from "./tree-navigation.ts";

const item = (uid: string, name: string, isOpen?: boolean): TreeItem => ({
  uid,
  parent: uid.split("/").slice(0, -1).join("/"),
  name,
  isOpen,
});

/** An open organization with two folders, the first of which is open, and a closed organization. */
const ITEMS: readonly TreeItem[] = [
  item("a", "Acme", true),
  item("a/1", "Platform", true),
  item("a/1/x", "Payments"),
  item("a/2", "Web", false),
  { uid: "", parent: "a", name: "Show more", isOpen: undefined },
  item("b", "Beta", false),
];

const focusAfter = (key: string, at: number) => treeMove(key, ITEMS, at)?.focus;

describe("keys of the tree", () => {
  test("move along the visible rows, and stop at both ends", () => {
    assert.deepEqual(
      ITEMS.map((_, at) => focusAfter("ArrowDown", at)),
      [1, 2, 3, 4, 5, 5],
    );
    assert.deepEqual(
      ITEMS.map((_, at) => focusAfter("ArrowUp", at)),
      [0, 0, 1, 2, 3, 4],
    );
    for (const at of [0, 3, 5]) {
      assert.equal(focusAfter("Home", at), 0);
      assert.equal(focusAfter("End", at), 5);
    }
  });

  test("ArrowRight opens an item, enters an open one, and stays at a leaf", () => {
    assert.deepEqual(treeMove("ArrowRight", ITEMS, 3), { focus: 3, setOpen: true });
    assert.deepEqual(treeMove("ArrowRight", ITEMS, 0), { focus: 1 });
    assert.deepEqual(treeMove("ArrowRight", ITEMS, 1), { focus: 2 });
    assert.deepEqual(treeMove("ArrowRight", ITEMS, 2), { focus: 2 });
    assert.deepEqual(treeMove("ArrowRight", ITEMS, 4), { focus: 4 });
  });

  test("ArrowRight stays at an open item whose children are not loaded yet", () => {
    assert.deepEqual(treeMove("ArrowRight", [item("a", "Acme", true)], 0), { focus: 0 });
  });

  test("ArrowLeft closes an open item, and leads from others to their parent", () => {
    assert.deepEqual(treeMove("ArrowLeft", ITEMS, 1), { focus: 1, setOpen: false });
    assert.deepEqual(treeMove("ArrowLeft", ITEMS, 2), { focus: 1 });
    assert.deepEqual(treeMove("ArrowLeft", ITEMS, 3), { focus: 0 });
    assert.deepEqual(treeMove("ArrowLeft", ITEMS, 4), { focus: 0 });
  });

  test("ArrowLeft stays at a closed root, also beside an item without uid", () => {
    assert.deepEqual(treeMove("ArrowLeft", ITEMS, 5), { focus: 5 });
  });

  test("leave other keys, and targets that are not rows, to the browser", () => {
    for (const key of ["Enter", "Tab", "a", "PageDown", " ", "toString"]) {
      assert.equal(treeMove(key, ITEMS, 0), undefined, key);
    }
    assert.equal(treeMove("ArrowDown", ITEMS, -1), undefined);
    assert.equal(treeMove("ArrowDown", [], 0), undefined);
  });

  test("any sequence of keys keeps the focus on a row", () => {
    const keys = ["ArrowDown", "ArrowUp", "ArrowLeft", "ArrowRight", "Home", "End"];
    for (const [at] of ITEMS.entries()) {
      for (const key of keys) {
        const { focus = -1 } = treeMove(key, ITEMS, at) ?? {};
        assert.ok(ITEMS[focus] !== undefined, `${key} at ${at}`);
      }
    }
  });
});

describe("typed letters", () => {
  test("are one prefix until there is a pause", () => {
    let typed = typedNext({ text: "", time: 0 }, "P", 1000);
    typed = typedNext(typed, "l", 1699);
    assert.deepEqual(typed, { text: "pl", time: 1699 });
    typed = typedNext(typed, "w", 1699 + 700);
    assert.deepEqual(typed, { text: "w", time: 2399 });
  });

  test("are single characters except for the space, which scrolls", () => {
    assert.deepEqual(
      ["a", "Z", "é", "7", "-", "😀", " ", "Enter", "F1", "ArrowDown", ""].map(isLetter),
      [true, true, true, true, true, true, false, false, false, false, false],
    );
  });

  test("lead to the next name that begins with them, around the end", () => {
    assert.equal(itemWithPrefix(ITEMS, 0, "p"), 1);
    assert.equal(itemWithPrefix(ITEMS, 1, "p"), 2);
    assert.equal(itemWithPrefix(ITEMS, 2, "p"), 1);
    assert.equal(itemWithPrefix(ITEMS, 5, "a"), 0);
    // The only match is the current item.
    assert.equal(itemWithPrefix(ITEMS, 5, "b"), 5);
  });

  test("beyond the first may still match the current name", () => {
    assert.equal(itemWithPrefix(ITEMS, 1, "pl"), 1);
    assert.equal(itemWithPrefix(ITEMS, 1, "pa"), 2);
    assert.equal(itemWithPrefix(ITEMS, 2, "pl"), 1);
  });

  test("without a match stay", () => {
    assert.equal(itemWithPrefix(ITEMS, 3, "zz"), 3);
    assert.equal(itemWithPrefix([], 0, "a"), 0);
  });
});
