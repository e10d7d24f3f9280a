import { ALL_ARCHITECTURES, type Artifact, wholeArtifact } from "./artifact.ts";

/** A package URL, as far as advisories need it. */
export interface Purl {
  readonly type: string;
  /** With its namespace where that is part of the name, as people write it there. */
  readonly name: string;
  readonly version: string;
  readonly architecture: string;
}

const PURL =
  /^pkg:\/*([a-zA-Z][a-zA-Z0-9.+-]*)\/([^@?#]+?)\/?(?:@([^?#]*))?(?:\?([^#]*))?(?:#.*)?$/;

/** Their namespace is the distribution, not a part of the name. */
const DISTRIBUTIONS = new Set(["alpm", "apk", "deb", "rpm"]);

const IMAGES = new Set(["oci", "docker"]);

/**
 * Reads a package URL; undefined when it is none.
 *
 * @example parsePurl("pkg:apk/wolfi/openssl@3.0-r1?arch=x86_64")?.name // "openssl"
 */
export function parsePurl(text: string): Purl | undefined {
  const found = PURL.exec(text);
  if (found === null) return undefined;
  try {
    const type = (found[1] as string).toLowerCase();
    const parts = (found[2] as string).split("/").map(decodeURIComponent).filter(Boolean);
    const qualifiers = qualifiersOf(found[4] ?? "");
    const version = decodeURIComponent(found[3] ?? "");
    const isImage = IMAGES.has(type);
    return {
      type: isImage ? "image" : type,
      name: isImage ? imageName(parts, qualifiers.get("repository_url")) : nameOf(type, parts),
      // Images that are not told by their digest are told by a tag.
      version: isImage ? version || (qualifiers.get("tag") ?? "") : version,
      architecture: qualifiers.get("arch") || ALL_ARCHITECTURES,
    };
  } catch {
    // Percent signs that encode nothing.
    return undefined;
  }
}

/** By hand: what reads forms takes a plus for a space, which it is not here. */
function qualifiersOf(text: string): ReadonlyMap<string, string> {
  return new Map(
    text.split("&").map((one): [string, string] => {
      const [name = "", ...value] = one.split("=");
      return [name.toLowerCase(), decodeURIComponent(value.join("="))];
    }),
  );
}

function nameOf(type: string, parts: readonly string[]): string {
  if (DISTRIBUTIONS.has(type)) return parts.at(-1) ?? "";
  return parts.join(type === "maven" ? ":" : "/");
}

/**
 * The repository of an image. By the specification the qualifier has all of it, with the name at its end;
 * some write only what comes before.
 */
function imageName(parts: readonly string[], repository: string | undefined): string {
  const own = parts.join("/");
  if (repository === undefined || repository === "") return own;
  const where = repository.replace(/^[a-z]+:\/\//, "").replace(/\/+$/, "");
  const isWhole = where.toLowerCase().endsWith(`/${own.toLowerCase()}`);
  return isWhole ? where : `${where}/${own}`;
}

/** @example artifactOf({ type: "apk", name: "openssl", … }) */
export function artifactOf({ name, type, architecture }: Purl): Artifact {
  return wholeArtifact(name, type, architecture);
}
