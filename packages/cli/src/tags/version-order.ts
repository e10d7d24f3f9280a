/** Names of prereleases, which precede their release; other suffixes, such as `-alpine` and `-r3`, follow it. */
const PRERELEASE = /^[-._]?(?:alpha|beta|rc|pre|preview|dev|snapshot|nightly|a|b|m)(?![a-z])/i;

interface Version {
  readonly numbers: readonly string[];
  readonly suffix: string;
}

/** Orders names of tags: versions by their numbers, prereleases before releases, then all others. */
export function compareVersions(one: string, another: string): number {
  const [a, b] = [versionOf(one), versionOf(another)];
  if (a === undefined || b === undefined) {
    return Number(a === undefined) - Number(b === undefined) || natural(one, another);
  }
  return compareNumbers(a.numbers, b.numbers) || compareSuffixes(a, b) || natural(one, another);
}

function versionOf(name: string): Version | undefined {
  const [, numbers, suffix = ""] = /^v?(\d+(?:\.\d+)*)(?![0-9a-f]{6})(.*)$/i.exec(name) ?? [];
  return numbers === undefined ? undefined : { numbers: numbers.split("."), suffix };
}

/** As texts: a date with a time has more digits than a number can have. */
function compareNumbers(one: readonly string[], another: readonly string[]): number {
  for (const [at, number] of one.entries()) {
    const order = natural(number, another[at] ?? "");
    if (order !== 0) return order;
  }
  return one.length - another.length;
}

function compareSuffixes({ suffix: one }: Version, { suffix: another }: Version): number {
  const rank = (suffix: string) => (suffix === "" ? 1 : PRERELEASE.test(suffix) ? 0 : 2);
  return rank(one) - rank(another) || natural(one, another);
}

const COLLATOR = new Intl.Collator("en", { numeric: true });

function natural(one: string, another: string): number {
  return COLLATOR.compare(one, another);
}
