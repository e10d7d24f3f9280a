import type { Unreadable } from "../read/unreadable.ts";

/** What a source holds, one after the other. Names are for people: nothing is opened by them. */
export type Item =
  | { readonly kind: "document"; readonly name: string; readonly bytes: Uint8Array }
  | { readonly kind: "refused"; readonly name: string; readonly why: Unreadable }
  /** Not meant to be read: a picture beside the documents, say. */
  | { readonly kind: "skipped"; readonly name: string };

/** @example isDocumentName("advisories/openssl.advisories.yaml") // true */
export function isDocumentName(path: string): boolean {
  const segments = path.split("/").filter((segment) => segment !== "." && segment !== "..");
  // What begins with a dot is there for programs: workflows of a repository, leavings of a desktop.
  return /\.(ya?ml|json)$/i.test(path) && !segments.some((segment) => segment.startsWith("."));
}
