import { gunzip } from "../gzip.ts";
import { readAttestations } from "../sboms/attestations.ts";
import type { Contents } from "../sboms/document.ts";
import { SBOM_LIMITS } from "../sboms/limits.ts";
import { readDocument } from "../sboms/read-document.ts";
import { SbomRefused } from "../sboms/refusal.ts";
import type { Sbom } from "../sboms/sbom.ts";
import { verifySignature } from "../signatures/verify-signature.ts";
import type { DocumentReading, DocumentRequest, ReadSbom } from "./document-messages.ts";
import { packagesOfSbom } from "./inventory-package.ts";

/**
 * Reads a file: a document, or attestations of documents about one of the digests. Refusals are results; attestations of
 * other kinds, such as provenance, are none.
 */
export async function readFile(
  request: Omit<DocumentRequest, "id">,
): Promise<readonly DocumentReading[]> {
  const { signature } = request;
  if (signature !== undefined) {
    return [{ signature: await verifySignature(request.bytes, signature) }];
  }
  try {
    const bytes = request.isCompressed ? await expanded(request.bytes) : request.bytes;
    return await readBytes(bytes, new Set(request.digests), request.isWhole);
  } catch (error) {
    return [{ refusal: refusalOf(error) }];
  }
}

async function readBytes(
  bytes: Uint8Array,
  digests: ReadonlySet<string>,
  isWhole = false,
): Promise<readonly DocumentReading[]> {
  try {
    return [readingOf(await readDocument(chunksOf(bytes)), isWhole)];
  } catch (error) {
    if (!(error instanceof SbomRefused) || !MAY_BE_ATTESTED.has(error.code)) throw error;
  }
  const attestations = await readAttestations(chunksOf(bytes), digests);
  return attestations
    .filter(({ contents, refusal }) => contents !== undefined || refusal !== undefined)
    .map(({ contents, refusal }) =>
      contents === undefined
        ? { refusal: refusalOf(refusal) }
        : { ...readingOf(contents, isWhole), isAttested: true },
    );
}

/** Packages are identified here, too: it takes as long as parsing. */
function readingOf({ sbom, vex }: Contents, isWhole: boolean): DocumentReading {
  const whole = isWhole ? sbom : undefined;
  return { sbom: sbom && storedPart(sbom), whole, statements: vex?.statements };
}

function storedPart(sbom: Sbom): ReadSbom {
  const { format, specVersion, operatingSystem, withoutPurl, invalidPurls } = sbom;
  const name = format === "spdx" ? "SPDX" : "CycloneDX";
  return {
    ...{ withoutPurl, invalidPurls },
    format: `${name}-${specVersion.replace(/^SPDX-/, "")}`,
    tool: sbom.tool ?? "",
    generated: sbom.generatedAt ?? "",
    operatingSystem: `${operatingSystem?.id ?? ""} ${operatingSystem?.version ?? ""}`.trim(),
    packages: packagesOfSbom(sbom),
  };
}

/** Codes with which an attestation is refused as a document; several ones, one on each line, are no JSON value. */
const MAY_BE_ATTESTED: ReadonlySet<string> = new Set(["attestation", "not_json"]);

async function* chunksOf(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes;
}

async function expanded(bytes: Uint8Array): Promise<Uint8Array> {
  const found = await gunzip(bytes, SBOM_LIMITS.bytes);
  if (found === "invalid") throw new SbomRefused("malformed", "is not compressed with gzip");
  if (found !== "too large") return found;
  throw new SbomRefused("too_large", `has more than ${SBOM_LIMITS.bytes} bytes`);
}

function refusalOf(error: unknown): { code: string; message: string } {
  if (!(error instanceof SbomRefused)) throw error;
  return { code: error.code, message: error.message };
}
