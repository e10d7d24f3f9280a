import { DocumentError, documentError } from "../read/document-error.ts";

/** An entry of a source. Names are only displayed, never opened. */
export type Item =
  | {
      readonly kind: "document";
      readonly name: string;
      readonly bytes: Uint8Array;
      /** Modification time in milliseconds. */
      readonly time?: number | undefined;
      /** Whether it is from a folder or an archive, which may contain other kinds of files. */
      readonly isEntry?: boolean;
    }
  | { readonly kind: "rejected"; readonly name: string; readonly error: DocumentError }
  /** Not a document by its name or file type. */
  | { readonly kind: "skipped"; readonly name: string };

/** @example isDocumentName("advisories/openssl.advisories.yaml") // true */
export function isDocumentName(path: string): boolean {
  const segments = path.split("/").filter((segment) => segment !== "." && segment !== "..");
  // Hidden files belong to tools, such as CI workflows.
  return /\.(ya?ml|json)$/i.test(path) && !segments.some((segment) => segment.startsWith("."));
}

/** Turns an error of the whole archive into a last item, so that the items before it still count. */
export async function* catchArchiveErrors(
  name: string,
  items: () => AsyncGenerator<Item>,
): AsyncGenerator<Item> {
  try {
    yield* items();
  } catch (error) {
    if (!(error instanceof DocumentError)) throw error;
    yield { kind: "rejected", name, error };
  }
}

/** Converts a library's error about an invalid archive; system errors, such as of a disk, stay as they are. */
export function archiveError(format: string, error: unknown): unknown {
  if (error instanceof DocumentError) return error;
  const { code, message } = error as Error & { readonly code?: unknown };
  const isSystem = typeof code === "string" && code.startsWith("E") && !code.startsWith("ERR_");
  return isSystem ? error : documentError(`is not a valid ${format}: ${message}`);
}
