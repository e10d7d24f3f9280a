import type { PackageKey } from "./names.ts";
import type { Publication } from "./publication.ts";

/** Characters that CSAF permits in ids and in file names; other bytes are escaped. */
const PLAIN = /[a-z0-9-]/;

/**
 * The tracking id of a package's document, which is also its file name. CSAF derives the file name by replacing
 * other characters, so they are escaped here: two packages must not have the same file.
 *
 * @example csafId({ type: "apk", name: "gtk+3.0" }) // "apk-gtk+2b3+2e0"
 */
export function csafId({ type, name }: PackageKey): string {
  return `${escaped(type).replaceAll("-", "+2d")}-${escaped(name)}`;
}

/**
 * The package of a tracking id; undefined if it is not an id of csafId.
 *
 * @example packageOfCsafId("apk-openssl") // { type: "apk", name: "openssl" }
 */
export function packageOfCsafId(id: string): PackageKey | undefined {
  const dash = id.indexOf("-");
  if (dash < 0) return undefined;
  const type = unescaped(id.slice(0, dash));
  const name = unescaped(id.slice(dash + 1));
  if (type === undefined || name === undefined) return undefined;
  // Only the canonical id: one package has one file.
  return csafId({ type, name }) === id ? { type, name } : undefined;
}

/**
 * The path of a package's document: by the year of its first publication.
 *
 * @example csafPath({ type: "apk", name: "openssl" }, Date.UTC(2026, 0)) // "2026/apk-openssl.json"
 */
export function csafPath(key: PackageKey, firstPublished: number): string {
  // The release date of the document: CSAF versions are times since 1970.
  return `${new Date(Math.max(firstPublished, 0)).getUTCFullYear()}/${csafId(key)}.json`;
}

/**
 * The path of the public key with which signatures of documents are verified.
 *
 * @example csafKeyPath("AB12…") // "openpgp/AB12….asc"
 */
export function csafKeyPath(fingerprint: string): string {
  return `openpgp/${fingerprint}.asc`;
}

/**
 * The title of a package's document.
 *
 * @example csafTitle({ type: "apk", name: "openssl" }) // "Vulnerabilities of openssl"
 */
export function csafTitle({ name }: PackageKey): string {
  return `Vulnerabilities of ${name}`;
}

/**
 * The audience of the documents of a feed, by the Traffic Light Protocol.
 *
 * @example tlpLabel({ isPublic: true }) // "WHITE"
 */
export function tlpLabel({ isPublic }: Pick<Publication, "isPublic">): "WHITE" | "AMBER" {
  return isPublic ? "WHITE" : "AMBER";
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
