import { packageKind } from "./publish/package-kinds.ts";

/** Types that are not packages: images and libraries have kinds of their own, products are known by name only. */
const OTHER_TYPES: ReadonlySet<string> = new Set(["library", "product"]);

/** The registered types of package URLs (https://github.com/package-url/purl-spec). */
const PACKAGE_URL_TYPES: ReadonlySet<string> = new Set([
  ...["alpm", "apk", "bazel", "bitbucket", "bitnami", "cargo", "chrome-extension", "cocoapods"],
  ...["composer", "conan", "conda", "cpan", "cran", "deb", "docker", "gem", "generic", "github"],
  ...["golang", "hackage", "hex", "huggingface", "julia", "luarocks", "maven", "mlflow", "npm"],
  ...["nuget", "oci", "opam", "otp", "pub", "pypi", "qpkg", "rpm", "swid", "swift"],
  ...["vscode-extension", "yocto"],
]);

/**
 * Whether a text is a type of artifacts: image, library, product, a type of package URLs, or one of the names that
 * scanners have for them. No document could name the artifacts of any other type.
 *
 * @example isArtifactType("go-module") // true
 */
export function isArtifactType(text: string): boolean {
  const type = text.toLowerCase();
  return packageKind(type) !== undefined || PACKAGE_URL_TYPES.has(type) || OTHER_TYPES.has(type);
}
