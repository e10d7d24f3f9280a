import { formatPackageUrl, type PackageUrl, parsePackageUrl } from "@wharf/advisories/package-url";

/** An image, as registries know it. */
export interface ImageReference {
  /** With the host: `registry.example.com/team/app`. */
  readonly repositories: readonly string[];
  /** Of the platform's manifest, and of the indexes that contain it: `sha256:…`. */
  readonly digests: readonly string[];
  readonly tags: readonly string[];
  /** As in image manifests: `amd64`. */
  readonly architecture?: string | undefined;
}

/** The names under which documents may refer to a component. */
export interface Names {
  readonly identifiers: ReadonlySet<string>;
  readonly purls: readonly PackageUrl[];
  /** In hexadecimal digits. */
  readonly hashes: ReadonlySet<string>;
}

/** Scanners name Docker Hub in two ways. */
const DOCKER_HUBS = ["docker.io", "index.docker.io"] as const;

/**
 * All names of an image that authors of VEX documents write, because scanners ask with them: references by tag and by
 * digest, the digest alone, and package URLs. Grype's `repository_url` is the repository without the name, Trivy's is
 * the whole repository.
 */
export function imageNames(image: ImageReference): Names {
  const { digests, tags } = image;
  const repositories = image.repositories.flatMap(spellings);
  const references = repositories.flatMap((repository) => [
    ...tags.map((tag) => `${repository}:${tag}`),
    ...digests.map((digest) => `${repository}@${digest}`),
  ]);
  const hashes = digests.map((digest) => digest.slice(digest.indexOf(":") + 1));
  const purls = repositories.flatMap((repository) => purlsOf(repository, image));
  const written = purls.map(formatPackageUrl);
  return {
    identifiers: new Set([...references, ...digests, ...hashes, ...written]),
    purls,
    hashes: new Set(hashes),
  };
}

/** A package in an image, which its package URL names. */
export function packageNames(purl: string): Names {
  const url = parsePackageUrl(purl);
  return {
    identifiers: new Set([purl]),
    purls: url === undefined ? [] : [url],
    hashes: new Set(),
  };
}

function spellings(repository: string): string[] {
  const hub = DOCKER_HUBS.find((host) => repository.startsWith(`${host}/`));
  if (hub === undefined) return [repository];
  return DOCKER_HUBS.map((host) => `${host}${repository.slice(hub.length)}`);
}

/** Documents name some qualifiers only, so each package URL has all that are true at the same time. */
function purlsOf(repository: string, image: ImageReference): PackageUrl[] {
  const { digests, tags, architecture } = image;
  const at = repository.lastIndexOf("/");
  const name = repository.slice(at + 1);
  const folder = repository.slice(0, Math.max(at, 0));
  const fixed: [string, string][] = architecture === undefined ? [] : [["arch", architecture]];
  const versions = digests.length === 0 ? [""] : digests;
  const tagged: [string, string][][] = tags.length === 0 ? [[]] : tags.map((tag) => [["tag", tag]]);
  return versions.flatMap((version) =>
    [repository, folder].flatMap((url) =>
      tagged.map((tag) => ({
        type: "oci",
        segments: [name],
        version,
        qualifiers: new Map<string, string>([...fixed, ["repository_url", url], ...tag]),
        subpath: "",
      })),
    ),
  );
}
