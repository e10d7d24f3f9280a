import {
  Composer,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
} from "yaml";
import { quoted, shortened } from "./at.ts";
import { READ_LIMITS } from "./limits.ts";
import type { Position, Tree } from "./tree.ts";
import { type Path, Unreadable, unreadable } from "./unreadable.ts";
import { yamlTokens } from "./yaml-tokens.ts";

const MIB = 1024 * 1024;

/**
 * Reads YAML. Scalars stay the text that is written, so that a version 1.10 is not the number 1.1.
 *
 * @example readYaml("fixed-version: 1.10").value // { "fixed-version": "1.10" }
 */
export function readYaml(text: string): Tree {
  if (text.length > READ_LIMITS.yamlBytes) {
    throw unreadable(`is YAML of more than ${READ_LIMITS.yamlBytes / MIB} MiB`);
  }
  const parsed = parse(text);
  return {
    value: valueAt(parsed, parsed.top),
    positionsOf: (paths) => paths.map((path) => parsed.at(offsetOf(parsed.top, path))),
  };
}

interface Parsed {
  readonly top: Node | null;
  at(offset: number): Position;
}

function parse(text: string): Parsed {
  const lines = new LineCounter();
  const at = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return { line, column: col };
  };
  const composer = new Composer({
    schema: "failsafe",
    version: "1.2",
    prettyErrors: false,
    // Its own way of finding them takes the square of their number.
    uniqueKeys: false,
  });
  const documents = composer.compose(yamlTokens(text, lines), true, text.length);
  // There is always one, if only an empty one.
  const document = documents.next().value as Document.Parsed;
  const another = documents.next().value;
  if (another) {
    const reason = "holds several documents; one is expected";
    throw new Unreadable([{ ...at(another.range[0]), path: "", reason }]);
  }
  const wrong = [...document.errors, ...document.warnings].slice(0, READ_LIMITS.problems);
  if (wrong.length > 0) {
    throw new Unreadable(
      wrong.map(({ message, pos }) => ({
        ...at(pos[0]),
        path: "",
        reason: `is not YAML: ${shortened(message)}`,
      })),
    );
  }
  return { top: document.contents, at };
}

function valueAt(parsed: Parsed, node: unknown): unknown {
  const refuse = (one: Node, reason: string) =>
    new Unreadable([{ ...parsed.at(one.range?.[0] ?? 0), path: "", reason }]);
  if (isScalar(node)) return node.value;
  if (isAlias(node)) {
    // A few of them can stand for more than fits into memory, and no advisory needs any.
    throw refuse(node, `has an alias, *${shortened(node.source)}, which is not read`);
  }
  if (isSeq(node)) return node.items.map((item) => valueAt(parsed, item));
  if (!isMap(node)) return undefined;
  const members = new Map<string, unknown>();
  for (const { key, value } of node.items) {
    if (!isScalar(key)) throw refuse(node, "has a key that is not text");
    const name = String(key.value);
    if (members.has(name)) throw refuse(key, `has the key ${quoted(name)} twice`);
    members.set(name, valueAt(parsed, value));
  }
  return Object.fromEntries(members);
}

/** Where a value begins; of a path that is not there, the last step that is. */
function offsetOf(top: Node | null, path: Path): number {
  let node: unknown = top;
  let offset = top?.range?.[0] ?? 0;
  for (const step of path) {
    const next =
      isMap(node) || isSeq(node) ? (node.get(step, true) as Node | undefined) : undefined;
    if (next === undefined) break;
    node = next;
    offset = next.range?.[0] ?? offset;
  }
  return offset;
}
