import { createContext } from "react";

/** The shared state of the tree's nodes. */
export interface TreeState {
  /** The group that is shown beside the tree. */
  readonly current: string;
  readonly open: ReadonlySet<string>;
  readonly setIsOpen: (uid: string, isOpen: boolean) => void;
  /** The one item that the Tab key reaches. */
  readonly focused: string;
  readonly setFocused: (uid: string) => void;
  readonly nameOf: (uid: string) => string;
}

export const TreeContext = createContext<TreeState>({
  current: "",
  open: new Set(),
  setIsOpen: () => {},
  focused: "",
  setFocused: () => {},
  nameOf: (uid) => uid,
});
