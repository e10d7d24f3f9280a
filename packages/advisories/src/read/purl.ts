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
    const qualifiers = new URLSearchParams(found[4] ?? "");
    return {
      type: IMAGES.has(type) ? "image" : type,
      name: nameOf(type, parts),
      version: decodeURIComponent(found[3] ?? ""),
      architecture: qualifiers.get("arch") || ALL_ARCHITECTURES,
    };
  } catch {
    // Percent signs that encode nothing.
    return undefined;
  }
}

function nameOf(type: string, parts: readonly string[]): string {
  if (DISTRIBUTIONS.has(type)) return parts.at(-1) ?? "";
  return parts.join(type === "maven" ? ":" : "/");
}

/** @example artifactOf({ type: "apk", name: "openssl", … }) */
export function artifactOf({ name, type, architecture }: Purl): Artifact {
  return wholeArtifact(name, type, architecture);
}
