import { type DistributionPackage, isField } from "./distribution-package.ts";
import { linesOf, paragraphsOf } from "./lines.ts";

const FIELDS: ReadonlySet<string> = new Set([
  ...["package", "status", "version", "architecture", "source"],
]);

/** States in which a package has no files, except for its configuration. */
const REMOVED: ReadonlySet<string> = new Set(["not-installed", "config-files"]);

/** The packages of `var/lib/dpkg/status`, or of a file of `status.d`, where the status may be missing. */
export function* dpkgPackages(bytes: Buffer): Generator<DistributionPackage> {
  for (const fields of paragraphsOf(bytes, FIELDS)) {
    const [name, version] = [fields.get("package"), fields.get("version")];
    const state = fields.get("status")?.split(/\s+/)[2];
    if (!isField(name) || !isField(version) || REMOVED.has(state ?? "")) continue;
    const source = sourceOf(fields.get("source") ?? "", version);
    const isOther = source !== undefined && (source.name !== name || source.version !== version);
    yield {
      database: "dpkg",
      name,
      version,
      architecture: fields.get("architecture") ?? "",
      origin: source ?? { name, version },
      licenses: [],
      qualifiers: isOther ? { upstream: upstreamOf(source, version) } : {},
      files: [],
    };
  }
}

const SOURCE = /^(\S+)(?:\s+\((\S+)\))?$/;

/** `NAME (VERSION)`, without the version where it is that of the package. */
function sourceOf(text: string, packageVersion: string) {
  const [, name, version = packageVersion] = SOURCE.exec(text) ?? [];
  return isField(name) && isField(version) ? { name, version } : undefined;
}

function upstreamOf(source: { name: string; version: string }, version: string): string {
  return source.version === version ? source.name : `${source.name}@${source.version}`;
}

/** The names of a file list, `NAME.list` or `NAME:ARCHITECTURE.list`, or of the sums of distroless images. */
const LIST = /(?:^|\/)([^/:]+)(?::([^/]+))?\.(?:list|md5sums)$/;

/** The package whose files a list has; undefined if the path is not that of a list. */
export function listedPackage(path: string): { name: string; architecture: string } | undefined {
  const [, name, architecture = ""] = LIST.exec(path) ?? [];
  return name === undefined ? undefined : { name, architecture };
}

/** The offset of the path in lines of checksums: it follows 32 digits and two spaces. */
const SUM_CHARS = 34;

/**
 * The paths of a list, without the leading slash.
 *
 * @param hasLength Which paths matter, by their lengths in bytes.
 */
export function* listedFiles(
  path: string,
  bytes: Buffer,
  hasLength: (length: number) => boolean,
): Generator<string> {
  // Lists have a slash before each path, sums do not.
  const start = path.endsWith(".md5sums") ? SUM_CHARS : 1;
  for (const line of linesOf(bytes, (length) => hasLength(length - start))) yield line.slice(start);
}
