import { ALL_ARCHITECTURES, type Artifact, wholeArtifact } from "./artifact.ts";
import { releaseOf } from "./ecosystems.ts";

/** A package URL, as far as advisories need it. */
export interface Purl {
  readonly type: string;
  /** With its namespace where that is part of the name, as people write it there. */
  readonly name: string;
  readonly version: string;
  readonly architecture: string;
  /** The release of a distribution that it is of, as OSV writes it where that is known; empty where none is named. */
  readonly release: string;
}

const PURL = /^pkg:\/*([a-zA-Z][a-zA-Z0-9.+-]*)\/([^?#]+)(?:\?([^#]*))?(?:#.*)?$/;

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
    const [path, written] = splitVersion(found[2] as string);
    const parts = path.split("/").map(decodeURIComponent).filter(Boolean);
    const qualifiers = qualifiersOf(found[3] ?? "");
    const version = decodeURIComponent(written);
    const isImage = IMAGES.has(type);
    if (parts.length === 0) return undefined;
    return {
      type: isImage ? "image" : type,
      name: isImage ? imageName(parts, qualifiers.get("repository_url")) : nameOf(type, parts),
      // Images that are not told by their digest are told by a tag.
      version: isImage ? version || (qualifiers.get("tag") ?? "") : version,
      architecture: qualifiers.get("arch") || ALL_ARCHITECTURES,
      release: DISTRIBUTIONS.has(type) ? releaseOf(qualifiers.get("distro") ?? "") : "",
    };
  } catch {
    // Percent signs that encode nothing.
    return undefined;
  }
}

/** At the last `@`, but for one that begins a scope of npm, which many leave as it is. */
function splitVersion(text: string): [path: string, version: string] {
  const at = text.lastIndexOf("@");
  return at <= 0 || text[at - 1] === "/" ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
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
export function artifactOf({ name, type, architecture, release }: Purl): Artifact {
  const whole = wholeArtifact(name, type, architecture);
  return { ...whole, component: { ...whole.component, location: release } };
}
