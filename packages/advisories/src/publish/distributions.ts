/** Distributions whose packages are apk, by the ID of their os-release, as OSV calls them. */
export const APK_ECOSYSTEMS: Readonly<Record<string, string>> = {
  alpaquita: "Alpaquita",
  alpine: "Alpine",
  chainguard: "Chainguard",
  minimos: "MinimOS",
  wolfi: "Wolfi",
};

/** The distributions that packages can be published for. */
export const DISTRIBUTIONS: readonly string[] = Object.keys(APK_ECOSYSTEMS);
