import { type Contents, DocumentCollector } from "./document.ts";
import { JsonReader } from "./json/json-reader.ts";
import { SBOM_LIMITS, type SbomLimits } from "./limits.ts";
import { SbomRefused } from "./refusal.ts";
import type { Sbom } from "./sbom.ts";
import type { Vex } from "./vex-statement.ts";

/** Reads an SPDX 2.2 or 2.3, or a CycloneDX 1.2 to 1.7 document in JSON. Throws SbomRefused. */
export async function readSbom(
  chunks: AsyncIterable<Uint8Array>,
  limits: SbomLimits = SBOM_LIMITS,
): Promise<Sbom> {
  const { sbom } = await readDocument(chunks, limits);
  if (sbom === undefined) throw new SbomRefused("unknown_format", "is a VEX document, not an SBOM");
  return sbom;
}

/** Reads the statements of an OpenVEX or a CycloneDX document in JSON. Throws SbomRefused. */
export async function readVex(
  chunks: AsyncIterable<Uint8Array>,
  limits: SbomLimits = SBOM_LIMITS,
): Promise<Vex> {
  const { vex } = await readDocument(chunks, limits);
  if (vex === undefined) throw new SbomRefused("unknown_format", "has no VEX statements");
  return vex;
}

/** Reads a document of any supported format, which is not wrapped in an attestation. Throws SbomRefused. */
export async function readDocument(
  chunks: AsyncIterable<Uint8Array>,
  limits: SbomLimits = SBOM_LIMITS,
): Promise<Contents> {
  const document = new DocumentCollector(limits);
  let count = 0;
  const reader = new JsonReader(document.shape, limits, () => {
    if (++count > 1) throw new SbomRefused("not_json", "is not JSON: it has several values");
  });
  for await (const chunk of chunks) reader.write(chunk);
  reader.end();
  return document.finish();
}
