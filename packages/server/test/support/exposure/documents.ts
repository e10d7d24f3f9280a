/** For tests: bytes of documents, read by both paths of the reader. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import type { TestContext } from "node:test";
import { SBOM_LIMITS, type SbomLimits } from "../../../src/exposure/sboms/limits.ts";
import { readDocument } from "../../../src/exposure/sboms/read-document.ts";
import { type Refusal, SbomRefused } from "../../../src/exposure/sboms/refusal.ts";
import type { Sbom } from "../../../src/exposure/sboms/sbom.ts";
import type { Vex } from "../../../src/exposure/sboms/vex-statement.ts";
import { sharedData } from "../shared-data.ts";

/** Limits with which a document is parsed at once, and token by token. */
export const PATHS: readonly (readonly [name: string, limits: SbomLimits])[] = [
  ["at once", SBOM_LIMITS],
  ["token by token", { ...SBOM_LIMITS, wholeBytes: 0 }],
];

/** The bytes of a document in chunks. A document that is no text is written as JSON. */
export async function* chunksOf(document: unknown, size = 65_536): AsyncGenerator<Uint8Array> {
  const bytes = bytesOf(document);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

export function bytesOf(document: unknown): Uint8Array {
  if (document instanceof Uint8Array) return document;
  return Buffer.from(typeof document === "string" ? document : JSON.stringify(document));
}

export const MIB = 1024 * 1024;

/** Yields the beginning, a piece again and again up to some bytes, and the end. */
export async function* repeated(
  start: string,
  piece: string,
  bytes: number,
  end: string,
): AsyncGenerator<Uint8Array> {
  const chunk = Buffer.from(piece.repeat(Math.ceil(MIB / piece.length)));
  yield Buffer.from(start);
  for (let sent = 0; sent < bytes; sent += chunk.length) yield chunk;
  yield Buffer.from(end);
}

/** A document that another program wrote; undefined where the public test data is absent, which the test then says. */
export function vector(context: TestContext, name: string): Buffer | undefined {
  const path = sharedData(context, `vectors/sboms/${name}`);
  return path === undefined ? undefined : readFileSync(path);
}

/** The SBOM in a document that has one. */
export async function readSbom(
  chunks: AsyncIterable<Uint8Array>,
  limits?: SbomLimits,
): Promise<Sbom> {
  const { sbom } = await readDocument(chunks, limits);
  assert.ok(sbom);
  return sbom;
}

/** The SBOM in a document, read on both paths, which must agree, and in chunks of different sizes. */
export async function readOnBothPaths(document: unknown): Promise<Sbom> {
  const [whole, tokens] = await Promise.all(
    PATHS.map(([, limits], index) => readSbom(chunksOf(document, 4_001 + index), limits)),
  );
  assert.deepEqual(tokens, whole);
  return whole as Sbom;
}

export function purlsOf({ packages }: Sbom): (string | undefined)[] {
  return packages.map(({ purl }) => purl).sort();
}

export function cyclonedx(members: object = {}) {
  return { bomFormat: "CycloneDX", specVersion: "1.6", version: 1, ...members };
}

/** The statements in a document that has some. */
export async function readVex(chunks: AsyncIterable<Uint8Array>): Promise<Vex> {
  const { vex } = await readDocument(chunks);
  assert.ok(vex);
  return vex;
}

/** The code with which a document is rejected; throws every other error. */
export async function refusalOf(reading: Promise<unknown>): Promise<Refusal | undefined> {
  try {
    await reading;
    return undefined;
  } catch (error) {
    if (error instanceof SbomRefused) return error.code;
    throw error;
  }
}
