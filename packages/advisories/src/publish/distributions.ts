/** The OSV ecosystems of apk distributions, by the ID of their os-release. */
export const APK_ECOSYSTEMS: Readonly<Record<string, string>> = {
  alpaquita: "Alpaquita",
  alpine: "Alpine",
  chainguard: "Chainguard",
  minimos: "MinimOS",
  wolfi: "Wolfi",
};

/** The distributions that feeds support. */
export const DISTRIBUTIONS: readonly string[] = Object.keys(APK_ECOSYSTEMS);
