import { isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from "yaml";
import { quoted } from "./at.ts";
import { READ_LIMITS } from "./limits.ts";
import type { Tree } from "./tree.ts";
import { type Path, Unreadable, unreadable } from "./unreadable.ts";

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
    value: valueAt(parsed, parsed.top, 0),
    positionOf: (path) => parsed.at(offsetOf(parsed.top, path)),
  };
}

interface Parsed {
  readonly top: Node | null;
  at(offset: number): { line: number; column: number };
}

function parse(text: string): Parsed {
  const lines = new LineCounter();
  const at = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return { line, column: col };
  };
  let document: ReturnType<typeof parseDocument>;
  try {
    document = parseDocument(text, {
      schema: "failsafe",
      version: "1.2",
      lineCounter: lines,
      prettyErrors: false,
      // Its own way of finding them takes the square of their number.
      uniqueKeys: false,
    });
  } catch (error) {
    // It calls itself for each level, and has no bound of its own.
    if (error instanceof RangeError) throw unreadable(TOO_DEEP);
    throw unreadable(`is not YAML: ${(error as Error).message}`);
  }
  // Some of these it catches itself, and tells of each level.
  if (document.errors.some(({ message }) => message.includes("call stack"))) {
    throw unreadable(TOO_DEEP);
  }
  const wrong = [...document.errors, ...document.warnings].slice(0, READ_LIMITS.problems);
  if (wrong.length > 0) {
    throw new Unreadable(
      wrong.map(({ code, message, pos }) => ({
        ...at(pos[0]),
        path: "",
        reason: said(code, message),
      })),
    );
  }
  return { top: document.contents, at };
}

const TOO_DEEP = `is nested more than ${READ_LIMITS.depth} levels deep`;

function said(code: string, message: string): string {
  if (code === "MULTIPLE_DOCS") return "holds several documents; one is expected";
  return `is not YAML: ${message}`;
}

function valueAt(parsed: Parsed, node: unknown, depth: number): unknown {
  const refuse = (one: Node, reason: string) =>
    new Unreadable([{ ...parsed.at(one.range?.[0] ?? 0), path: "", reason }]);
  if (isScalar(node)) return node.value;
  if (isAlias(node)) {
    // A few of them can stand for more than fits into memory, and no advisory needs any.
    throw refuse(node, `has an alias, *${node.source}, which is not read`);
  }
  if (depth >= READ_LIMITS.depth && (isMap(node) || isSeq(node))) throw refuse(node, TOO_DEEP);
  if (isSeq(node)) return node.items.map((item) => valueAt(parsed, item, depth + 1));
  if (!isMap(node)) return undefined;
  const members = new Map<string, unknown>();
  for (const { key, value } of node.items) {
    if (!isScalar(key)) throw refuse(node, "has a key that is not text");
    const name = String(key.value);
    if (members.has(name)) throw refuse(key, `has the key ${quoted(name)} twice`);
    members.set(name, valueAt(parsed, value, depth + 1));
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
