import { create, type JsonObject } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import {
  type Advisory,
  type AdvisoryDocument,
  AdvisoryDocumentSchema,
  type Vulnerability,
} from "@wharf/contract/messages";
import { readCsaf } from "./csaf.ts";
import { readCycloneDx } from "./cyclonedx.ts";
import { decode } from "./decode.ts";
import { readDistro } from "./distro.ts";
import { type Path, type Problem, UnknownFormatError } from "./document-error.ts";
import { DocumentNode, quoted } from "./document-node.ts";
import { READ_LIMITS, type ReadLimits } from "./limits.ts";
import { readOpenVex } from "./openvex.ts";
import { readOsv } from "./osv.ts";
import { parseTree, type Tree } from "./tree.ts";

/** The contents of a document. */
export interface Contents {
  readonly advisories: readonly Advisory[];
  readonly vulnerabilities?: readonly Vulnerability[];
  /** The OSV records that advisories name as their source, without `affected`. */
  readonly records?: readonly JsonObject[];
}

/** The supported formats, by the names that users select them by. */
export const READERS = {
  distro: readDistro,
  osv: readOsv,
  openvex: readOpenVex,
  csaf: readCsaf,
  cyclonedx: readCycloneDx,
} as const satisfies Record<string, (top: DocumentNode) => Contents>;

export type Format = keyof typeof READERS;

export interface ReadOptions {
  /** The name of the document, such as its path. */
  readonly name: string;
  /** Detected from the contents by default. */
  readonly format?: Format | undefined;
  /** The time of the file, for documents that have none. */
  readonly time?: number | undefined;
  /** Reads only metadata of vulnerabilities, such as severities. */
  readonly metadataOnly?: boolean | undefined;
  /** READ_LIMITS by default. */
  readonly limits?: ReadLimits;
  /** Gets what was corrected in a document that is not rejected, such as a repeated alias. */
  readonly onWarning?: ((warning: Problem) => void) | undefined;
}

/**
 * Reads a document of any supported format. Throws only `DocumentError`.
 *
 * @example readDocument(await readFile(path), { name: path }).advisories
 */
export function readDocument(bytes: Uint8Array, options: ReadOptions): AdvisoryDocument {
  const { limits = READ_LIMITS } = options;
  const tree = parseTree(decode(bytes, limits), limits);
  const format = options.format ?? formatOf(tree);
  const contents: Contents = DocumentNode.read(tree, READERS[format], limits, options.onWarning);
  return create(AdvisoryDocumentSchema, {
    name: options.name,
    ...(options.time === undefined ? {} : { time: timestampFromMs(options.time) }),
    advisories: options.metadataOnly ? [] : [...contents.advisories],
    vulnerabilities: [...(contents.vulnerabilities ?? [])],
    sources: options.metadataOnly ? [] : (contents.records ?? []).map((osv) => ({ osv })),
  });
}

/** Detects the format by fields that only one format has. */
function formatOf({ value, positionsOf }: Tree): Format {
  const has = (name: string) =>
    typeof value === "object" && value !== null && Object.hasOwn(value, name);
  if (has("@context")) return "openvex";
  if (has("document")) return "csaf";
  if (has("bomFormat")) return "cyclonedx";
  if (has("schema-version") || (has("package") && has("advisories"))) return "distro";
  if (has("schema_version") || (has("id") && (has("modified") || has("affected")))) return "osv";
  const shown = typeof value === "string" ? ` ${quoted(value)}` : "";
  const known = "the advisories of a package (schema version 2), OSV, OpenVEX, CSAF or CycloneDX";
  const reason = `is not a supported format${shown}; expected ${known}`;
  throw new UnknownFormatError([{ ...positionsOf([[]])[0], path: "", reason }]);
}

/**
 * The source lines of message fields, for problems that are found after reading. Undefined for formats
 * in which messages do not correspond to lines. Parses the document once for all fields.
 *
 * @example linesOf(bytes, ["advisories[3].events[0].fixed.fixedVersion"]) // [57]
 */
export function linesOf(
  bytes: Uint8Array,
  fields: readonly string[],
): readonly (number | undefined)[] {
  if (fields.length === 0) return [];
  const tree = parseTree(decode(bytes));
  if (formatOf(tree) !== "distro") return fields.map(() => undefined);
  const paths = fields.map(pathOf);
  const positions = tree.positionsOf(paths.map((path) => path ?? []));
  return paths.map((path, index) => (path === undefined ? undefined : positions[index]?.line));
}

/** The path in a distribution document that a message field was read from. */
function pathOf(field: string): Path | undefined {
  const found = /^advisories\[(\d+)\](?:\.events\[(\d+)\])?/.exec(field);
  if (found === null) return undefined;
  const event = found[2] === undefined ? [] : ["events", Number(found[2])];
  return ["advisories", Number(found[1]), ...event];
}
