import assert from "node:assert/strict";
import { type JsonObject, toJson } from "@bufbuild/protobuf";
import { AdvisoryDocumentSchema } from "@wharf/contract/messages";
import { type ReadOptions, readDocument } from "./read.ts";
import { Unreadable } from "./unreadable.ts";

/** For tests: a document as it is read, in the JSON of protobuf. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into whatever was read.
export function readAs(contents: string | object, options: Partial<ReadOptions> = {}): any {
  const document = readDocument(bytesOf(contents), { name: "test", ...options });
  return toJson(AdvisoryDocumentSchema, document) as JsonObject;
}

/** For tests: the problems that a document is refused for, line by line. */
export function refusalOf(contents: string | object, options: Partial<ReadOptions> = {}): string[] {
  try {
    readDocument(bytesOf(contents), { name: "test", ...options });
  } catch (thrown) {
    assert.ok(thrown instanceof Unreadable, String(thrown));
    return thrown.message.split("\n");
  }
  assert.fail("it was read");
}

function bytesOf(contents: string | object): Uint8Array {
  return Buffer.from(typeof contents === "string" ? contents : JSON.stringify(contents, null, 2));
}
