/** A visible item of a tree, in the order of the rows. */
export interface TreeItem {
  readonly uid: string;
  readonly parent: string;
  readonly name: string;
  /** Undefined for an item without children. */
  readonly isOpen: boolean | undefined;
}

/** The effect of a key: the index of the item that gets the focus, and an item to open or close. */
export interface TreeMove {
  readonly focus: number;
  readonly setOpen?: boolean;
}

/**
 * Keys of the tree pattern (WAI-ARIA): arrows, Home and End. Undefined for other keys.
 *
 * @example treeMove("ArrowRight", items, 2) // { focus: 2, setOpen: true }
 */
export function treeMove(
  key: string,
  items: readonly TreeItem[],
  at: number,
): TreeMove | undefined {
  const item = items[at];
  if (item === undefined) return undefined;
  const found = (index: number) => ({ focus: index < 0 ? at : index });
  switch (key) {
    case "ArrowDown":
      return { focus: Math.min(at + 1, items.length - 1) };
    case "ArrowUp":
      return { focus: Math.max(at - 1, 0) };
    case "Home":
      return { focus: 0 };
    case "End":
      return { focus: items.length - 1 };
    case "ArrowRight":
      if (item.isOpen === true) return found(items.findIndex(({ parent }) => parent === item.uid));
      return item.isOpen === undefined ? { focus: at } : { focus: at, setOpen: true };
    case "ArrowLeft":
      if (item.isOpen === true) return { focus: at, setOpen: false };
      // Items outside of the root have no parent, and the one that loads more rows has no uid.
      return found(item.parent === "" ? -1 : items.findIndex(({ uid }) => uid === item.parent));
    default:
      return undefined;
  }
}

/** Letters that are typed within this time are one prefix. */
const TYPING_MS = 700;

/** Letters that were typed so far, and the time of the last one. */
export interface Typed {
  readonly text: string;
  readonly time: number;
}

/** Whether a key types a character. */
export function isLetter(key: string): boolean {
  return [...key].length === 1 && key !== " ";
}

/** Continues the prefix with a letter, or begins another one after a pause. */
export function typedNext({ text, time }: Typed, key: string, now: number): Typed {
  return { text: (now - time < TYPING_MS ? text : "") + key.toLowerCase(), time: now };
}

/** The next item whose name begins with a prefix, after the last row from the first one on; else the current item. */
export function itemWithPrefix(items: readonly TreeItem[], at: number, prefix: string): number {
  // A first letter moves on; with more letters, the current item may still match.
  const from = [...prefix].length === 1 ? at + 1 : at;
  for (let step = 0; step < items.length; step++) {
    const index = (from + step) % items.length;
    if (items[index]?.name.toLowerCase().startsWith(prefix)) return index;
  }
  return at;
}
