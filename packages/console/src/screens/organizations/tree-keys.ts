import { type KeyboardEvent, type KeyboardEventHandler, useRef } from "react";
import type { TreeState } from "./tree-context.ts";

/** Letters that are typed within this time are one beginning of a name. */
const TYPING_MS = 700;

/** The keys of the tree pattern: arrows, Home, End, and the beginning of a name. Enter follows the link. */
export function useTreeKeys({ open, setIsOpen }: Pick<TreeState, "open" | "setIsOpen">): {
  onKeyDown: KeyboardEventHandler<HTMLElement>;
} {
  const typed = useRef({ text: "", time: 0 });

  function target(event: KeyboardEvent<HTMLElement>): HTMLElement | undefined {
    const items = [...event.currentTarget.querySelectorAll<HTMLElement>("[role=treeitem]")];
    const at = items.indexOf(event.target as HTMLElement);
    const item = items[at];
    if (item === undefined) return undefined;
    const { uid = "", parent = "" } = item.dataset;
    const isOpen = open.has(uid) && item.ariaExpanded === "true";
    switch (event.key) {
      case "ArrowDown":
        return items[at + 1] ?? item;
      case "ArrowUp":
        return items[at - 1] ?? item;
      case "Home":
        return items[0];
      case "End":
        return items.at(-1);
      case "ArrowRight":
        if (isOpen) return items.find(({ dataset }) => dataset.parent === uid) ?? item;
        if (item.ariaExpanded !== null) setIsOpen(uid, true);
        return item;
      case "ArrowLeft":
        if (!isOpen) return items.find(({ dataset }) => dataset.uid === parent) ?? item;
        setIsOpen(uid, false);
        return item;
      default:
        return begins(event, items, at);
    }
  }

  function begins(
    { key, timeStamp }: KeyboardEvent,
    items: readonly HTMLElement[],
    at: number,
  ): HTMLElement | undefined {
    if (!isLetter(key)) return undefined;
    const { text, time } = typed.current;
    const beginning = (timeStamp - time < TYPING_MS ? text : "") + key.toLowerCase();
    typed.current = { text: beginning, time: timeStamp };
    // A first letter moves on; further ones may still fit the same item.
    const from = beginning.length === 1 ? at + 1 : at;
    const inOrder = [...items.slice(from), ...items.slice(0, from)];
    return inOrder.find((one) => one.textContent.toLowerCase().startsWith(beginning)) ?? items[at];
  }

  return {
    onKeyDown(event) {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (!isLetter(event.key)) typed.current = { text: "", time: 0 };
      const next = target(event);
      if (next === undefined) return;
      event.preventDefault();
      next.focus();
    },
  };
}

/** Whether a key types something. */
function isLetter(key: string): boolean {
  return [...key].length === 1 && key !== " ";
}
