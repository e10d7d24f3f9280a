import type { Group, Node } from "../../packages/cli/src/command/definition.ts";
import { type Entry, type Page, pageOf } from "../../packages/cli/src/command/help.ts";
import { tree } from "../../packages/cli/src/tree.ts";

/** A group with its direct commands, or a top-level command. */
export interface Chapter {
  readonly page: Page;
  readonly commands: readonly Page[];
}

export const ROOT_PAGE = pageOf([tree]);

/** All chapters, in the order of the tree. */
export function chapters(): Chapter[] {
  return tree.commands.filter(({ hidden }) => !hidden).flatMap((node) => chaptersOf([tree, node]));
}

function chaptersOf(path: readonly Node[]): Chapter[] {
  const node = path.at(-1) as Node;
  if (node.kind === "command") return [{ page: documented(path), commands: [documented(path)] }];
  const direct = shown(node).filter(({ kind }) => kind === "command");
  const below = shown(node).filter(({ kind }) => kind === "group");
  const own = { page: pageOf(path), commands: direct.map((next) => documented([...path, next])) };
  return [
    ...(direct.length > 0 ? [own] : []),
    ...below.flatMap((next) => chaptersOf([...path, next])),
  ];
}

function shown({ commands }: Group): Node[] {
  return commands.filter(({ hidden }) => !hidden);
}

/** The server's settings are only listed with `wharf serve`. */
function documented(path: readonly Node[]): Page {
  const page = pageOf(path);
  if (page.settings.length === 0) return page;
  const more: Entry = { term: "…", meaning: "Every option of `wharf serve`." };
  return { ...page, options: [...page.options, more] };
}
