import { create } from "@bufbuild/protobuf";
import {
  type Advisory,
  type AdvisoryDocument,
  AdvisoryDocumentSchema,
  type Vulnerability,
} from "@wharf/contract/messages";
import { At, quoted } from "./at.ts";
import { readCsaf } from "./csaf.ts";
import { decode } from "./decode.ts";
import { readDistro } from "./distro.ts";
import { readOpenVex } from "./openvex.ts";
import { readOsv } from "./osv.ts";
import { type Tree, treeOf } from "./tree.ts";
import { type Path, Unreadable } from "./unreadable.ts";

/** What a reader finds in a document. */
export interface Contents {
  readonly advisories: readonly Advisory[];
  readonly vulnerabilities?: readonly Vulnerability[];
}

/** The formats that are read, by the names that people choose them by. */
export const READERS = {
  distro: readDistro,
  osv: readOsv,
  openvex: readOpenVex,
  csaf: readCsaf,
} as const satisfies Record<string, (top: At) => Contents>;

export type Format = keyof typeof READERS;

export interface ReadOptions {
  /** What the document is called, such as its path. */
  readonly name: string;
  /** Default: what its contents look like. */
  readonly format?: Format | undefined;
  /** Takes only what is known of vulnerabilities, such as their severities. */
  readonly metadataOnly?: boolean | undefined;
}

/**
 * Reads a document of any format that is known. Throws `Unreadable`, and nothing else.
 *
 * @example readDocument(await readFile(path), { name: path }).advisories
 */
export function readDocument(bytes: Uint8Array, options: ReadOptions): AdvisoryDocument {
  const tree = treeOf(decode(bytes));
  const format = options.format ?? formatOf(tree);
  const contents: Contents = At.read(tree, READERS[format]);
  return create(AdvisoryDocumentSchema, {
    name: options.name,
    advisories: options.metadataOnly ? [] : [...contents.advisories],
    vulnerabilities: [...(contents.vulnerabilities ?? [])],
  });
}

/** Told by the fields that only one format has. */
function formatOf({ value, positionsOf }: Tree): Format {
  const has = (name: string) =>
    typeof value === "object" && value !== null && Object.hasOwn(value, name);
  if (has("@context")) return "openvex";
  if (has("document")) return "csaf";
  if (has("schema-version") || (has("package") && has("advisories"))) return "distro";
  if (has("schema_version") || (has("id") && has("modified"))) return "osv";
  const shown = typeof value === "string" ? ` ${quoted(value)}` : "";
  const known = "the advisories of a package (schema version 2), OSV, OpenVEX or CSAF";
  const reason = `is not a format that is read${shown}: ${known}`;
  throw new Unreadable([{ ...positionsOf([[]])[0], path: "", reason }]);
}

/**
 * The lines that fields of what was read come from, where their format has one for each; for what is
 * found wrong later on. The document is read once for all of them.
 *
 * @example linesOf(bytes, ["advisories[3].events[0].fixed.fixedVersion"]) // [57]
 */
export function linesOf(
  bytes: Uint8Array,
  fields: readonly string[],
): readonly (number | undefined)[] {
  if (fields.length === 0) return [];
  const tree = treeOf(decode(bytes));
  if (formatOf(tree) !== "distro") return fields.map(() => undefined);
  const paths = fields.map(placeOf);
  const positions = tree.positionsOf(paths.map((path) => path ?? []));
  return paths.map((path, index) => (path === undefined ? undefined : positions[index]?.line));
}

/** Where in a document of a distribution a field of what was read from it is. */
function placeOf(field: string): Path | undefined {
  const found = /^advisories\[(\d+)\](?:\.events\[(\d+)\])?/.exec(field);
  if (found === null) return undefined;
  const event = found[2] === undefined ? [] : ["events", Number(found[2])];
  return ["advisories", Number(found[1]), ...event];
}
