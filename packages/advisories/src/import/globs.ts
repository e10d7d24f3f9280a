/**
 * Whether a path is selected: by one of the patterns to include, if there are any, and by none to exclude. A pattern
 * matches the end of a path: `*` and `?` match within a name, `**` also across folders.
 *
 * @example selection(["*.json"], ["testdata/**"])("osv/testdata/a.json") // false
 */
export function selection(
  include: readonly string[],
  exclude: readonly string[],
): (path: string) => boolean {
  const [included, excluded] = [include.map(expressionOf), exclude.map(expressionOf)];
  return (path) => {
    const isIncluded = included.length === 0 || included.some((one) => one.test(path));
    return isIncluded && !excluded.some((one) => one.test(path));
  };
}

/** Adjacent wildcards are one. */
function expressionOf(pattern: string): RegExp {
  const parts = pattern.match(/\*+|\?|[^*?]+/g) ?? [];
  const text = parts.map((part) => {
    if (part.startsWith("**")) return ".*";
    if (part === "*") return "[^/]*";
    return part === "?" ? "[^/]" : part.replace(/[.+^${}()|[\]\\]/g, "\\$&");
  });
  return new RegExp(`(?:^|/)${text.join("")}$`, "s");
}
