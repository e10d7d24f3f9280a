import { picking } from "./random-advisories.ts";

/** Values that break readers: unexpected types, and texts that are special to parsers. */
const ODD_VALUES: readonly unknown[] = [
  ...[null, true, 0, -1, 1e308, 2 ** 53, "", " ", "\0", "\ud800", "__proto__", "constructor"],
  ...[
    "pkg:apk/wolfi/x@1",
    "pkg:%zz/%",
    "9999-12-31T23:59:59.999999999+99:99",
    "0000-00-00T00:00:00Z",
  ],
  ...["2026-01-01T00:00:00Z", "CGA-2222-3333-4444", "CVE-2026-1", "x".repeat(5_000), "\r\n", "*a"],
  ...[[], [[]], {}, { a: { b: {} } }, [null], [{}], ["", ""]],
];

const ODD_BYTES = [
  "{",
  "}",
  "[",
  "]",
  ":",
  ",",
  '"',
  "\\",
  "\n",
  "- ",
  "&a ",
  "*a",
  "!!",
  "|",
  ">",
];
const MORE_BYTES = [
  "%",
  "@",
  "#",
  "\t",
  "\0",
  "\ufeff",
  "\r",
  "\u2028",
  "? ",
  "---\n",
  "...\n",
  "<<: ",
];

type Random = () => number;

/** For tests: a document with random changes that no program would write. */
export function mutatedTree(tree: unknown, random: Random): unknown {
  const copy = structuredClone(tree);
  const places: [object, string | number][] = [];
  const look = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    for (const key of Object.keys(value)) {
      places.push([value, Array.isArray(value) ? Number(key) : key]);
      look((value as Record<string, unknown>)[key]);
    }
  };
  look(copy);
  const pick = picking(random);
  for (let left = 1 + Math.floor(random() * 3); left > 0 && places.length > 0; left--) {
    const [parent, key] = pick(...places);
    const within = parent as Record<string | number, unknown>;
    const [other, otherKey] = pick(...places);
    const value = (other as Record<string | number, unknown>)[otherKey];
    const how = random();
    if (how < 0.5) within[key] = pick(...ODD_VALUES);
    else if (how < 0.65) delete within[key];
    // Copied: a cyclic tree cannot be serialized.
    else if (how < 0.85) within[key] = structuredClone(value);
    else if (Array.isArray(parent)) parent.push(structuredClone(value));
    else defineOwn(parent, pick("__proto__", "constructor", "", "id", "x"), value);
  }
  return copy;
}

function defineOwn(target: object, name: string, value: unknown): void {
  const options = { enumerable: true, configurable: true, writable: true };
  Object.defineProperty(target, name, { ...options, value: structuredClone(value) });
}

/** For tests: bytes with random deletions, changes and repetitions. */
export function mutatedBytes(bytes: Uint8Array, random: Random): Buffer {
  const pick = picking(random);
  let mutated = Buffer.from(bytes);
  for (let left = 1 + Math.floor(random() * 4); left > 0; left--) {
    const at = Math.floor(random() * (mutated.length + 1));
    const length = Math.floor(random() ** 3 * 200);
    const [before, after] = [mutated.subarray(0, at), mutated.subarray(at)];
    const piece = mutated.subarray(at, at + length);
    const odd = Buffer.from(pick(...ODD_BYTES, ...MORE_BYTES));
    const byte = Buffer.from([Math.floor(random() * 256)]);
    mutated = pick(
      () => Buffer.concat([before, odd, after]),
      () => Buffer.concat([before, byte, after.subarray(1)]),
      () => Buffer.concat([before, after.subarray(length)]),
      () => Buffer.concat([before, piece, piece, after]),
      () => Buffer.from(before),
    )();
  }
  return mutated;
}
