import { useEffect, useState } from "react";
import { useGroupNames } from "../../api/group-names.ts";
import { pathOf } from "../../app/location.ts";
import { folderTexts } from "../../texts/organizations.ts";
import { TreeContext } from "./tree-context.ts";
import { useTreeKeys } from "./tree-keys.ts";
import { TreeNode } from "./tree-node.tsx";

/**
 * The folders of an organization. Children are read when their folder is opened, page by page: nothing is loaded
 * beyond what is shown.
 */
export function GroupTree({ current }: { readonly current: string }) {
  const path = pathOf(current);
  const { nameOf } = useGroupNames([current]);
  const [open, setOpen] = useState<ReadonlySet<string>>(() => new Set(path));
  const [focused, setFocused] = useState(current);
  useEffect(() => {
    setFocused(current);
    setOpen((before) => new Set([...before, ...pathOf(current)]));
  }, [current]);
  const setIsOpen = (uid: string, isOpen: boolean) => {
    const next = new Set(open);
    if (isOpen) next.add(uid);
    else next.delete(uid);
    setOpen(next);
    // What is no longer shown cannot have the focus.
    if (!isOpen && focused.startsWith(`${uid}/`)) setFocused(uid);
  };
  const keys = useTreeKeys({ open, setIsOpen });
  const [top = ""] = path;
  return (
    <nav className="tree" aria-label={folderTexts.tree}>
      <TreeContext value={{ current, open, setIsOpen, focused, setFocused, nameOf }}>
        <div role="tree" aria-label={folderTexts.tree} {...keys}>
          <TreeNode uid={top} name={nameOf(top)} level={1} position={1} size={1} />
        </div>
      </TreeContext>
    </nav>
  );
}
