import {
  CSAF_HASHES,
  CSAF_SIGNATURE,
  type CsafHash,
  type PackageKey,
  packageOfCsafId,
  rolieName,
} from "@wharf/advisories/publish";

/** A file of a feed. */
export type FeedFile =
  | { readonly kind: "osv index" | "osv tar" | "osv ecosystems" }
  | { readonly kind: "osv changes" | "osv archive"; readonly ecosystem: string | undefined }
  | { readonly kind: "osv document"; readonly id: string; readonly ecosystem: string | undefined }
  | { readonly kind: "secdb"; readonly architecture: string | undefined }
  | { readonly kind: "openvex all" | "openvex archive" | "openvex index" | "openvex manifest" }
  | { readonly kind: "openvex document"; readonly key: PackageKey }
  | { readonly kind: "csaf provider" | "csaf index" | "csaf changes" | "csaf archive" }
  | { readonly kind: "csaf feed"; readonly name: string }
  | { readonly kind: "csaf key"; readonly path: string }
  | {
      readonly kind: "csaf document";
      readonly key: PackageKey;
      readonly path: string;
      /** The file has the hash or the signature of the document. */
      readonly proof: CsafHash | typeof CSAF_SIGNATURE | undefined;
    };

/** Files that cover no advisories. */
const METADATA: readonly FeedFile["kind"][] = ["openvex manifest", "csaf provider", "csaf key"];

/** Files that some feeds do not have, besides documents. */
const OPTIONAL: readonly FeedFile["kind"][] = ["openvex all", "csaf feed", "csaf key"];

/** Whether every feed has this file, so that a 304 needs no check of its existence. */
export function alwaysExists({ kind }: FeedFile): boolean {
  return !OPTIONAL.includes(kind) && !kind.endsWith(" document");
}

/** Whether a file covers all advisories of a feed. */
export function isExport({ kind }: FeedFile): boolean {
  return !METADATA.includes(kind) && !kind.endsWith(" document");
}

/** Whether a file is an archive of all documents: large, and costly to generate. */
export function isArchive({ kind }: FeedFile): boolean {
  return kind.endsWith(" archive") || kind === "osv tar";
}

/** Whether a file is the public key, or made with the private one. */
export function isOfKey(file: FeedFile): boolean {
  return (
    file.kind === "csaf key" || (file.kind === "csaf document" && file.proof === CSAF_SIGNATURE)
  );
}

/** A parsed path below /feeds/. */
export interface FeedPath {
  /** The group as requested: a uid, or a path of names. */
  readonly group: string;
  readonly file: FeedFile;
}

/** The longest file path: openvex/pkg/<type>/<name>/vex.json. */
const MAX_FILE_SEGMENTS = 5;

const ROLIE_NAMES = new Set([true, false].map((isPublic) => rolieName({ isPublic })));

const PROOFS = [...CSAF_HASHES, CSAF_SIGNATURE] as const;

/** Files with a fixed path. */
const FIXED: Readonly<Record<string, FeedFile>> = {
  "osv/all.json": { kind: "osv index" },
  "osv/all.zip": { kind: "osv archive", ecosystem: undefined },
  "osv/all.tar.gz": { kind: "osv tar" },
  "osv/modified_id.csv": { kind: "osv changes", ecosystem: undefined },
  "osv/ecosystems.txt": { kind: "osv ecosystems" },
  "secdb/security.json": { kind: "secdb", architecture: undefined },
  "openvex/all.json": { kind: "openvex all" },
  "openvex/all.zip": { kind: "openvex archive" },
  "openvex/index.json": { kind: "openvex index" },
  "openvex/vex-repository.json": { kind: "openvex manifest" },
  "openvex/.well-known/vex-repository.json": { kind: "openvex manifest" },
  "csaf/provider-metadata.json": { kind: "csaf provider" },
  "csaf/index.txt": { kind: "csaf index" },
  "csaf/changes.csv": { kind: "csaf changes" },
  "csaf/all.zip": { kind: "csaf archive" },
};

/**
 * Parses the path of a feed's file. The group may have slashes and folders of any name, so the file is matched
 * from the end.
 */
export function readFeedPath(path: string): FeedPath | undefined {
  const segments = path.split("/").map(decoded);
  if (segments.includes(undefined) || segments.includes("")) return undefined;
  // Bounded: an anonymous client may send thousands of segments.
  const first = Math.max(1, segments.length - MAX_FILE_SEGMENTS);
  for (let at = segments.length - 2; at >= first; at--) {
    const file = readFile(segments.slice(at) as string[]);
    if (file !== undefined) return { group: path.split("/").slice(0, at).join("/"), file };
  }
  return undefined;
}

function readFile(segments: readonly string[]): FeedFile | undefined {
  const fixed = Object.hasOwn(FIXED, segments.join("/")) ? FIXED[segments.join("/")] : undefined;
  if (fixed !== undefined) return fixed;
  const [format, first = "", second = "", third = "", fourth, ...more] = segments;
  const count = segments.length;
  if (format === "osv" && count === 2) {
    const id = withoutJson(first);
    return id === undefined ? undefined : { kind: "osv document", id, ecosystem: undefined };
  }
  if (format === "osv" && count === 3) return ofEcosystem(first, second);
  if (format === "secdb" && count === 3 && second === "security.json") {
    return { kind: "secdb", architecture: first };
  }
  if (format === "openvex" && first === "pkg" && fourth === "vex.json" && more.length === 0) {
    return { kind: "openvex document", key: { type: second, name: third } };
  }
  if (format === "csaf" && count === 3 && /^\d{4}$/.test(first)) {
    const proof = PROOFS.find((one) => second.endsWith(`.json.${one}`));
    const name = proof === undefined ? second : second.slice(0, -proof.length - 1);
    const key = packageOfCsafId(withoutJson(name) ?? "");
    return key && { kind: "csaf document", key, path: `${first}/${name}`, proof };
  }
  if (format === "csaf" && count === 3 && first === "openpgp") {
    return { kind: "csaf key", path: `${first}/${second}` };
  }
  if (format === "csaf" && count === 2 && ROLIE_NAMES.has(first)) {
    return { kind: "csaf feed", name: first };
  }
  return undefined;
}

/** Below an ecosystem: the layout of the buckets of osv.dev, in which releases are those of their distribution. */
function ofEcosystem(ecosystem: string, file: string): FeedFile | undefined {
  if (ecosystem.includes(":")) return undefined;
  if (file === "all.zip") return { kind: "osv archive", ecosystem };
  if (file === "modified_id.csv") return { kind: "osv changes", ecosystem };
  const id = withoutJson(file);
  return id === undefined ? undefined : { kind: "osv document", id, ecosystem };
}

function withoutJson(name: string): string | undefined {
  return name.endsWith(".json") && name.length > 5 ? name.slice(0, -5) : undefined;
}

function decoded(segment: string): string | undefined {
  try {
    const text = decodeURIComponent(segment);
    // PostgreSQL rejects NUL, and no name contains it.
    return text.includes("\0") ? undefined : text;
  } catch {
    return undefined;
  }
}
