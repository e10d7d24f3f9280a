import { formatPackageUrl, type PackageUrl, parsePackageUrl } from "./package-url.ts";

const REPOSITORY = "repository_url";

/** Names of Docker Hub, where images without a namespace are those of `library`. */
const DOCKER_HUB = /^(?:registry-1\.|index\.)?docker\.io\/(?:([^/]+)$)?/;

/**
 * The repository of an image, with its host if the package URL names one. By the specification repository_url
 * includes the name; Grype, among others, omits it.
 *
 * @example imageRepository(parsePackageUrl("pkg:oci/web?repository_url=ghcr.io/acme")) // "ghcr.io/acme/web"
 */
export function imageRepository({ segments, qualifiers }: PackageUrl): string {
  const name = segments.join("/");
  const repository = (qualifiers.get(REPOSITORY) ?? "")
    .replace(/^[a-z]+:\/\//, "")
    .replace(/\/+$/, "");
  if (repository === "") return name;
  const includesName = repository.toLowerCase().endsWith(`/${name.toLowerCase()}`);
  return includesName ? repository : `${repository}/${name}`;
}

/**
 * A package URL of an image in the forms that scanners ask with, which match the same image only: Trivy's
 * repository_url is the whole repository, Grype's is the repository without the name. Others are returned as they are.
 *
 * @example imageForms("pkg:oci/web?repository_url=ghcr.io/acme/web").at(-1) // "pkg:oci/web?repository_url=ghcr.io%2Facme"
 */
export function imageForms(purl: string): string[] {
  const url = wholeForm(purl);
  if (url === undefined) return [purl];
  const repository = imageRepository(url);
  const parent = repository.slice(0, -(url.segments.join("/").length + 1));
  const short = withRepository(url, parent);
  // Grype names no architecture. If the folder has the name of the image, Trivy reads it as the repository.
  const isSame = !url.qualifiers.has("arch") && imageRepository(short) === repository;
  return [...new Set([purl, ...(isSame ? [url, short] : [url]).map(toText)])];
}

/**
 * A key that is the same for all forms of a package URL.
 *
 * @example productKey("pkg:oci/web?repository_url=ghcr.io/acme") // "pkg:oci/web?repository_url=ghcr.io%2Facme%2Fweb"
 */
export function productKey(purl: string): string {
  const url = wholeForm(purl);
  return url === undefined ? purl : toText(url);
}

/** With the whole repository; undefined for other artifacts, and for images of unknown repositories. */
function wholeForm(purl: string): PackageUrl | undefined {
  const url = parsePackageUrl(purl);
  if (url?.type !== "oci" || !url.qualifiers.get(REPOSITORY)) return undefined;
  const repository = imageRepository(url).replace(DOCKER_HUB, (_, only) =>
    only === undefined ? "index.docker.io/" : `index.docker.io/library/${only}`,
  );
  return withRepository(url, repository);
}

function withRepository(url: PackageUrl, repository: string): PackageUrl {
  return { ...url, qualifiers: new Map([...url.qualifiers, [REPOSITORY, repository]]) };
}

function toText(url: PackageUrl): string {
  return formatPackageUrl(url);
}
