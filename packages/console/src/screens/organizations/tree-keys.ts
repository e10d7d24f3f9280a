import { type KeyboardEventHandler, useRef } from "react";
import type { TreeState } from "./tree-context.ts";
import { isLetter, itemWithPrefix, type TreeMove, treeMove, typedNext } from "./tree-navigation.ts";

const NOTHING_TYPED = { text: "", time: 0 };

/** Handles the keys of the tree: arrows, Home, End, and the first letters of a name. Enter follows the link. */
export function useTreeKeys({ open, setIsOpen }: Pick<TreeState, "open" | "setIsOpen">): {
  onKeyDown: KeyboardEventHandler<HTMLElement>;
} {
  const typed = useRef(NOTHING_TYPED);
  return {
    onKeyDown(event) {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const elements = [...event.currentTarget.querySelectorAll<HTMLElement>("[role=treeitem]")];
      const at = elements.indexOf(event.target as HTMLElement);
      const items = elements.map(({ dataset, ariaExpanded, textContent }) => {
        const { uid = "", parent = "" } = dataset;
        const isOpen = ariaExpanded === null ? undefined : open.has(uid) && ariaExpanded === "true";
        return { uid, parent, name: textContent ?? "", isOpen };
      });
      let move: TreeMove | undefined = treeMove(event.key, items, at);
      if (isLetter(event.key) && at >= 0) {
        typed.current = typedNext(typed.current, event.key, event.timeStamp);
        move = { focus: itemWithPrefix(items, at, typed.current.text) };
      } else typed.current = NOTHING_TYPED;
      if (move === undefined) return;
      event.preventDefault();
      if (move.setOpen !== undefined) setIsOpen(items[at]?.uid ?? "", move.setOpen);
      elements[move.focus]?.focus();
    },
  };
}
