import type { PackageKey } from "./names.ts";

/** What both the ids and the files of CSAF can hold as it is; the rest is told by its bytes. */
const PLAIN = /[a-z0-9-]/;

/**
 * The tracking id of the document about a package, which is also the name of its file: CSAF makes one of
 * the other by replacing what files cannot hold, and two packages must not become the same file.
 *
 * @example csafId({ type: "apk", name: "gtk+3.0" }) // "apk-gtk+2b3+2e0"
 */
export function csafId({ type, name }: PackageKey): string {
  return `${escaped(type).replaceAll("-", "+2d")}-${escaped(name)}`;
}

/**
 * The package that a document's id is of; undefined when it is no such id.
 *
 * @example packageOfCsafId("apk-openssl") // { type: "apk", name: "openssl" }
 */
export function packageOfCsafId(id: string): PackageKey | undefined {
  const dash = id.indexOf("-");
  if (dash < 0) return undefined;
  const type = unescaped(id.slice(0, dash));
  const name = unescaped(id.slice(dash + 1));
  if (type === undefined || name === undefined) return undefined;
  // One package has one file: what reads as the same but is written otherwise is not it.
  return csafId({ type, name }) === id ? { type, name } : undefined;
}

/**
 * Where the document about a package lies: by the year in which it was first published.
 *
 * @example csafPath({ type: "apk", name: "openssl" }, Date.UTC(2026, 0)) // "2026/apk-openssl.json"
 */
export function csafPath(key: PackageKey, firstPublished: number): string {
  return `${new Date(firstPublished).getUTCFullYear()}/${csafId(key)}.json`;
}

function escaped(text: string): string {
  return [...Buffer.from(text, "utf8")]
    .map((byte) => {
      const character = String.fromCharCode(byte);
      return PLAIN.test(character) ? character : `+${byte.toString(16).padStart(2, "0")}`;
    })
    .join("");
}

function unescaped(text: string): string | undefined {
  if (!/^([a-z0-9-]|\+[0-9a-f]{2})*$/.test(text)) return undefined;
  const bytes = [...text.matchAll(/\+(..)|(.)/g)].map(([, hex, plain]) =>
    hex === undefined ? (plain as string).charCodeAt(0) : Number.parseInt(hex, 16),
  );
  return Buffer.from(bytes).toString("utf8");
}
