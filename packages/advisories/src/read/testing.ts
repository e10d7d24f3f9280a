import assert from "node:assert/strict";
import { type JsonObject, toJson } from "@bufbuild/protobuf";
import { AdvisoryDocumentSchema } from "@wharf/contract/messages";
import { DocumentError } from "./document-error.ts";
import { type ReadOptions, readDocument } from "./read.ts";

/** For tests: reads a document into protobuf JSON. */
// biome-ignore lint/suspicious/noExplicitAny: tests inspect arbitrary parts of it.
export function readToJson(contents: string | object, options: Partial<ReadOptions> = {}): any {
  const document = readDocument(bytesOf(contents), { name: "test", ...options });
  return toJson(AdvisoryDocumentSchema, document) as JsonObject;
}

/** For tests: the problems for which a document is rejected, one per line. */
export function problemsOf(
  contents: string | object,
  options: Partial<ReadOptions> = {},
): string[] {
  try {
    readDocument(bytesOf(contents), { name: "test", ...options });
  } catch (thrown) {
    assert.ok(thrown instanceof DocumentError, String(thrown));
    return thrown.message.split("\n");
  }
  assert.fail("the document was accepted");
}

function bytesOf(contents: string | object): Uint8Array {
  return Buffer.from(typeof contents === "string" ? contents : JSON.stringify(contents, null, 2));
}
