import { Link } from "@tanstack/react-router";
import { type MouseEvent, use, useEffect, useId, useRef } from "react";
import { api } from "../../api/client.ts";
import { type Pages, usePages } from "../../api/pages.ts";
import { pathOf, screenLink } from "../../app/location.ts";
import { folderTexts } from "../../texts/organizations.ts";
import { sentenceOf } from "../../ui/error-text.ts";
import { Icon } from "../../ui/icons.tsx";
import { TreeContext } from "./tree-context.ts";

const CHILDREN_PER_PAGE = 50;

/** A folder above the current one is not the current one. */
const EXACT = { exact: true, includeSearch: false };

interface Named {
  readonly uid: string;
  readonly name: string;
}

/** A group in the tree, with its children while it is open. */
export function TreeNode({
  uid,
  name,
  level,
  position,
  size,
}: Named & { readonly level: number; readonly position: number; readonly size: number }) {
  const { current, open, setIsOpen, focused, setFocused } = use(TreeContext);
  const isOpen = open.has(uid);
  const children = usePages(
    api.groups.list,
    { uidp: { childrenOf: uid }, pageSize: CHILDREN_PER_PAGE, orderBy: "name" },
    ({ groups }) => groups,
    { enabled: isOpen },
  );
  const isLeaf =
    isOpen && children.total === 0 && missingStep(uid, current, children.rows) === undefined;
  const groupId = useId();
  const toggle = (event: MouseEvent) => {
    // The rest of the item is a link.
    event.preventDefault();
    event.stopPropagation();
    setIsOpen(uid, !isOpen);
  };
  return (
    <div role="none">
      <Link
        {...screenLink("folders", uid)}
        role="treeitem"
        className="tree-item"
        data-uid={uid}
        data-parent={uid.slice(0, Math.max(uid.lastIndexOf("/"), 0))}
        data-level={Math.min(level, DEEPEST_INDENT)}
        aria-level={level}
        aria-posinset={position}
        aria-setsize={size}
        aria-expanded={isLeaf ? undefined : isOpen}
        aria-busy={isOpen && children.total === undefined}
        aria-owns={isOpen && !isLeaf ? groupId : undefined}
        activeOptions={EXACT}
        aria-current={uid === current ? "page" : undefined}
        tabIndex={uid === focused ? 0 : -1}
        onFocus={() => setFocused(uid)}
      >
        {/* biome-ignore lint/a11y/useKeyWithClickEvents: the arrow keys of the item do the same */}
        {/* biome-ignore lint/a11y/noStaticElementInteractions: for pointers only */}
        <span className={isLeaf ? "twisty leaf" : "twisty"} onClick={toggle}>
          <Icon name="chevron" />
        </span>
        <span className="tree-name">{name}</span>
      </Link>
      {isOpen && !isLeaf && (
        // biome-ignore lint/a11y/useSemanticElements: a group of a tree is no fieldset
        <div role="group" id={groupId}>
          <Children of={uid} level={level + 1} pages={children} />
        </div>
      )}
    </div>
  );
}

/** Deeper items are not moved to the right any more: their names would not fit. */
const DEEPEST_INDENT = 8;

function Children({
  of,
  level,
  pages,
}: {
  readonly of: string;
  readonly level: number;
  readonly pages: Pages<{ readonly uid?: string; readonly name?: string }>;
}) {
  const { rows, total = 0, hasMore, error, more } = pages;
  const { current, nameOf } = use(TreeContext);
  const list = useRef<HTMLDivElement>(null);
  const pressedAt = useRef<number>(undefined);
  // The focus moves on from the item that loads the next children to the first of them.
  useEffect(() => {
    if (pressedAt.current === undefined || rows.length <= pressedAt.current) return;
    const { uid } = rows[pressedAt.current] ?? {};
    pressedAt.current = undefined;
    list.current?.parentElement?.querySelector<HTMLElement>(`[data-uid="${uid}"]`)?.focus();
  }, [rows]);
  if (error !== null) {
    return (
      <div role="none" className="tree-error">
        {sentenceOf(error)}
      </div>
    );
  }
  const behind = missingStep(of, current, rows);
  return (
    <>
      <div role="none" ref={list} hidden />
      {rows.map(({ uid = "", name = "" }, at) => (
        <TreeNode key={uid} uid={uid} name={name} level={level} position={at + 1} size={total} />
      ))}
      {behind !== undefined && (
        <TreeNode
          uid={behind}
          name={nameOf(behind)}
          level={level}
          position={rows.length + 1}
          size={Math.max(total, rows.length + 1)}
        />
      )}
      {hasMore && (
        <More
          of={of}
          level={level}
          left={total - rows.length}
          load={() => {
            pressedAt.current = rows.length;
            more();
          }}
        />
      )}
    </>
  );
}

/**
 * The child on the way to the current group, if it is not among the loaded ones: it may be far behind them, or its
 * parent may not be visible.
 */
function missingStep(
  of: string,
  current: string,
  rows: readonly { readonly uid?: string }[],
): string | undefined {
  if (!current.startsWith(`${of}/`)) return undefined;
  const step = pathOf(current).find((uid) => uid.length > of.length);
  return rows.some(({ uid }) => uid === step) ? undefined : step;
}

/** The item that loads the next children. */
function More({
  of,
  level,
  left,
  load,
}: {
  readonly of: string;
  readonly level: number;
  readonly left: number;
  readonly load: () => void;
}) {
  const { focused, setFocused } = use(TreeContext);
  const uid = `${of}/more`;
  return (
    <div role="none">
      <button
        type="button"
        role="treeitem"
        className="tree-item tree-more"
        data-uid={uid}
        data-parent={of}
        data-level={Math.min(level, DEEPEST_INDENT)}
        aria-level={level}
        tabIndex={uid === focused ? 0 : -1}
        onFocus={() => setFocused(uid)}
        onClick={load}
      >
        {folderTexts.more(left)}
      </button>
    </div>
  );
}
