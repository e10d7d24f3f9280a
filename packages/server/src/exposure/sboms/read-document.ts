import { type Contents, DocumentCollector } from "./document.ts";
import { JsonReader } from "./json/json-reader.ts";
import { SBOM_LIMITS, type SbomLimits } from "./limits.ts";
import { SbomRefused } from "./refusal.ts";

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
