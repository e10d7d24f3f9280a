/**
 * Polyfills of what the commands use and Node.js 20 and 22 lack. Only the released package loads it
 * (bin/installed.cjs): in the sources, commands run on the Node.js of the installation.
 */
import zlib from "node:zlib";

type Key<T, K> = (item: T, index: number) => K;

function groupInto<T, K>(items: Iterable<T>, key: Key<T, K>): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  let index = 0;
  for (const item of items) {
    const of = key(item, index++);
    const group = groups.get(of);
    if (group === undefined) groups.set(of, [item]);
    else group.push(item);
  }
  return groups;
}

function define(target: object, name: string, value: unknown): void {
  if (name in target) return;
  Object.defineProperty(target, name, { value, configurable: true, writable: true });
}

define(URL, "parse", (text: string, base?: string) =>
  URL.canParse(text, base) ? new URL(text, base) : null,
);

define(Promise, "withResolvers", () => {
  const made: { resolve?: unknown; reject?: unknown } = {};
  const promise = new Promise((resolve, reject) => Object.assign(made, { resolve, reject }));
  return { promise, ...made };
});

define(Map, "groupBy", groupInto);

define(Object, "groupBy", <T>(items: Iterable<T>, key: Key<T, string>) =>
  Object.assign(Object.create(null), Object.fromEntries(groupInto(items, key))),
);

define(
  Array,
  "fromAsync",
  async <T, R>(
    items: AsyncIterable<T> | Iterable<T | Promise<T>>,
    map?: (item: T, index: number) => R | Promise<R>,
  ) => {
    const all: (T | R)[] = [];
    for await (const item of items)
      all.push(map === undefined ? item : await map(item, all.length));
    return all;
  },
);

define(Set.prototype, "intersection", function <T>(this: Set<T>, other: ReadonlySet<T>) {
  return new Set([...this].filter((item) => other.has(item)));
});

// Node.js 22.15 and newer have it; it is only called for files in this format.
define(zlib, "createZstdDecompress", () => {
  throw new Error(`Zstandard needs Node.js 22.15 or newer, this is ${process.version}`);
});
