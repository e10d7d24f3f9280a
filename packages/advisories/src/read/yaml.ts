import {
  Composer,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Scalar,
} from "yaml";
import { DocumentError, documentError, type Path } from "./document-error.ts";
import { quoted, truncated } from "./document-node.ts";
import { READ_LIMITS, type ReadLimits } from "./limits.ts";
import type { Position, Tree } from "./tree.ts";
import { yamlTokens } from "./yaml-tokens.ts";

const MIB = 1024 * 1024;

/**
 * Parses YAML. Scalars stay text, so that the version 1.10 does not become the number 1.1. The free members of OSV,
 * such as database_specific, are an exception: they are stored as JSON.
 *
 * @example readYaml("fixed-version: 1.10").value // { "fixed-version": "1.10" }
 */
export function readYaml(text: string, limits: ReadLimits = READ_LIMITS): Tree {
  if (text.length > limits.yamlBytes) {
    throw documentError(`is YAML of more than ${limits.yamlBytes / MIB} MiB`);
  }
  const parsed = parse(text, limits);
  return {
    value: valueAt(parsed, parsed.top, false),
    positionsOf: (paths) => paths.map((path) => parsed.at(offsetOf(parsed.top, path))),
  };
}

interface Parsed {
  readonly top: Node | null;
  at(offset: number): Position;
}

function parse(text: string, limits: ReadLimits): Parsed {
  const lines = new LineCounter();
  const at = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return { line, column: col };
  };
  const composer = new Composer({
    schema: "failsafe",
    version: "1.2",
    prettyErrors: false,
    // The library's check takes quadratic time; valueAt rejects duplicates.
    uniqueKeys: false,
  });
  const documents = composer.compose(yamlTokens(text, lines, limits), true, text.length);
  // There is always one, possibly empty.
  const document = documents.next().value as Document.Parsed;
  const another = documents.next().value;
  if (another) {
    const reason = "has several documents; expected one";
    throw new DocumentError([{ ...at(another.range[0]), path: "", reason }]);
  }
  const wrong = [...document.errors, ...document.warnings].slice(0, limits.problems);
  if (wrong.length > 0) {
    throw new DocumentError(
      wrong.map(({ message, pos }) => ({
        ...at(pos[0]),
        path: "",
        reason: `is not YAML: ${truncated(message)}`,
      })),
    );
  }
  return { top: document.contents, at };
}

/** Free members of OSV. */
const FREE = /^(database|ecosystem)_specific$/;

/** A plain scalar as the core schema of YAML 1.2 resolves it, of the forms that JSON has. */
function jsonScalar({ type, value }: Scalar): unknown {
  const text = String(value);
  if (type !== "PLAIN") return text;
  if (/^(null|~|)$/.test(text)) return null;
  if (/^(true|false)$/.test(text)) return text === "true";
  return /^-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?$/.test(text) ? Number(text) : text;
}

function valueAt(parsed: Parsed, node: unknown, isFree: boolean): unknown {
  const error = (one: Node, reason: string) =>
    new DocumentError([{ ...parsed.at(one.range?.[0] ?? 0), path: "", reason }]);
  if (isScalar(node)) return isFree ? jsonScalar(node) : node.value;
  if (isAlias(node)) {
    // A few nested aliases can expand to more than fits into memory, and no advisory needs one.
    throw error(node, `has an alias, *${truncated(node.source)}; aliases are not supported`);
  }
  if (isSeq(node)) return node.items.map((item) => valueAt(parsed, item, isFree));
  if (!isMap(node)) return isFree ? null : undefined;
  const members = new Map<string, unknown>();
  for (const { key, value } of node.items) {
    if (!isScalar(key)) throw error(node, "has a key that is not text");
    const name = String(key.value);
    if (members.has(name)) throw error(key, `has the key ${quoted(name)} twice`);
    members.set(name, valueAt(parsed, value, isFree || FREE.test(name)));
  }
  return Object.fromEntries(members);
}

/** The offset of a value; for a path that does not exist, of its last existing step. */
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
