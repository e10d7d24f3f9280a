import { InventorySource, InventoryState } from "@wharf/contract";
import { SBOM_LIMITS } from "../sboms/limits.ts";
import type { VexStatement } from "../sboms/vex-statement.ts";
import type { DocumentReading, ReadSbom } from "./document-messages.ts";
import type { DocumentReader } from "./document-reader.ts";
import type { DocumentDetail, ImageDetail } from "./image-detail.ts";
import {
  type DocumentLevel,
  type FoundDocuments,
  type ImageDocument,
  LEVELS,
} from "./image-documents.ts";
import { type InventoryPackage, lacksRelease } from "./inventory-package.ts";
import type { LayerReading } from "./read-layer-packages.ts";

/** A VEX statement with the document that it is from, as it is stored. */
export interface ImageStatement extends VexStatement {
  /** The digest of the document. */
  readonly document: string;
  readonly level: DocumentLevel;
}

/** The inventory of an image by its documents, or else by its layers. */
export interface ImageInventory {
  readonly state: InventoryState;
  readonly reason: string;
  readonly source: InventorySource;
  /** The digest of the SBOM; empty without one. */
  readonly document: string;
  readonly packages: readonly InventoryPackage[];
  readonly withoutPurl: number;
  readonly statements: readonly ImageStatement[];
  readonly detail: Omit<ImageDetail, "fingerprint">;
}

/** Bytes of all files that are read for one image. */
const MAX_TOTAL_BYTES = 4 * SBOM_LIMITS.bytes;

/** Statements that are stored for one image. */
const MAX_STATEMENTS = 20_000;

const SOURCES: Readonly<Record<DocumentLevel, InventorySource>> = {
  upload: InventorySource.UPLOADED,
  image: InventorySource.ATTACHED,
  index: InventorySource.INDEX,
};

/** A document of a file, with what was read of it. */
interface ReadDocument extends DocumentReading {
  readonly file: ImageDocument;
}

/**
 * Reads the documents about an image, and chooses the SBOM: an uploaded one before one that is attached to the image,
 * before one of its index, before the layers. A document that is refused is reported, and changes nothing else.
 */
export async function readInventory(
  reader: DocumentReader,
  { documents, ignored }: FoundDocuments,
  digests: readonly string[],
  readLayers: () => Promise<LayerReading | undefined>,
): Promise<ImageInventory> {
  const read = await readAll(reader, documents, digests);
  const chosen = chooseSbom(read);
  const layers = chosen === undefined ? await readLayers() : undefined;
  const statements = statementsOf(read);
  const packages = chosen === undefined ? (layers?.packages ?? []) : chosen.sbom.packages;
  const remarks = [
    ...(ignored > 0 ? [`${ignored} documents were not read: there are too many`] : []),
    ...(statements.length > MAX_STATEMENTS
      ? [`only the first ${MAX_STATEMENTS} VEX statements are used`]
      : []),
    ...(layers?.remarks ?? []),
    ...(chosen === undefined ? [] : remarksOn(chosen.sbom)),
    ...(packages.some(lacksRelease) ? ["the release of the distribution is unknown"] : []),
  ];
  const { state, reason, description } = stateOf(read, chosen, layers);
  const sbom = chosen?.sbom;
  return {
    ...{ state, reason, packages, statements: statements.slice(0, MAX_STATEMENTS) },
    source: chosen ? SOURCES[chosen.file.level] : sourceOf(layers),
    document: chosen?.file.digest ?? "",
    withoutPurl: sbom?.withoutPurl ?? 0,
    detail: {
      ...{ description, remarks },
      format: sbom?.format ?? "",
      tool: sbom?.tool ?? "",
      generated: sbom?.generated ?? "",
      operatingSystem: sbom?.operatingSystem ?? layers?.operatingSystem ?? "",
      documents: read.map((one) => detailOf(one, chosen)),
    },
  };
}

async function readAll(
  reader: DocumentReader,
  files: readonly ImageDocument[],
  digests: readonly string[],
): Promise<ReadDocument[]> {
  const read: ReadDocument[] = [];
  let total = 0;
  for (const file of files) {
    total += file.size;
    const readings =
      file.size > SBOM_LIMITS.bytes || total > MAX_TOTAL_BYTES
        ? [refused("too_large", `has ${file.size} bytes`)]
        : await readOne(reader, file, digests);
    read.push(...readings.map((reading) => ({ ...reading, file })));
  }
  return read;
}

async function readOne(
  reader: DocumentReader,
  file: ImageDocument,
  digests: readonly string[],
): Promise<readonly DocumentReading[]> {
  const bytes = await file.read();
  if (bytes === undefined) return [refused("unavailable", "the registry does not have it")];
  return reader.read({ bytes, isCompressed: file.isCompressed, digests });
}

function refused(code: string, message: string): DocumentReading {
  return { refusal: { code, message } };
}

interface ChosenSbom {
  readonly file: ImageDocument;
  readonly sbom: ReadSbom;
}

/** Of several at one level the one with most packages: the image does not change, so it is the most complete. */
function chooseSbom(read: readonly ReadDocument[]): ChosenSbom | undefined {
  const found = read.flatMap(({ file, sbom }) => (sbom === undefined ? [] : [{ file, sbom }]));
  const score = ({ file, sbom }: ChosenSbom) => [
    // The document of an index may list its platforms alone.
    Number(file.level !== "index" || sbom.packages.length + sbom.withoutPurl > 0),
    -LEVELS.indexOf(file.level),
    sbom.packages.length,
  ];
  const [best] = found.sort((a, b) => compareScores(score(b), score(a)));
  return best !== undefined && (score(best)[0] as number) > 0 ? best : undefined;
}

function compareScores(a: readonly number[], b: readonly number[]): number {
  for (const [at, value] of a.entries()) {
    if (value !== b[at]) return value - (b[at] as number);
  }
  return 0;
}

/** The statements of less specific documents come first: the last one about a vulnerability is the most specific. */
function statementsOf(read: readonly ReadDocument[]): ImageStatement[] {
  return LEVELS.toReversed().flatMap((level) =>
    read
      .filter(({ file }) => file.level === level)
      .flatMap(({ file, statements = [] }) =>
        statements.map((one) => ({ ...one, document: file.digest, level })),
      ),
  );
}

function stateOf(
  read: readonly ReadDocument[],
  chosen: ChosenSbom | undefined,
  layers: LayerReading | undefined,
): { readonly state: InventoryState; readonly reason: string; readonly description: string } {
  if (chosen !== undefined || layers?.outcome === "known") {
    return { state: InventoryState.KNOWN, reason: "", description: "" };
  }
  if (layers?.outcome === "failed") {
    const { reason, description } = layers;
    return { state: InventoryState.REFUSED, reason, description };
  }
  const refusal = read.find((one) => one.refusal !== undefined)?.refusal;
  if (refusal !== undefined) {
    const description = `the document ${refusal.message}`;
    return { state: InventoryState.REFUSED, reason: refusal.code, description };
  }
  const description =
    layers === undefined
      ? "there is no SBOM"
      : "there is no SBOM, and the layers have no database of packages";
  return { state: InventoryState.NONE, reason: "no_sbom", description };
}

function sourceOf(layers: LayerReading | undefined): InventorySource {
  return layers?.outcome === "known" ? InventorySource.LAYERS : InventorySource.UNSPECIFIED;
}

function remarksOn({ withoutPurl, invalidPurls }: ReadSbom): string[] {
  return [
    ...(withoutPurl > 0 ? [`${withoutPurl} components have no package URL`] : []),
    ...(invalidPurls > 0 ? [`${invalidPurls} package URLs are invalid`] : []),
  ];
}

function detailOf(
  { file, sbom, statements, refusal }: ReadDocument,
  chosen: ChosenSbom | undefined,
): DocumentDetail {
  const { digest, mediaType, target, level, foundAs } = file;
  const hasStatements = (statements?.length ?? 0) > 0;
  return {
    ...{ digest, mediaType, target, level, foundAs },
    kind: sbom !== undefined ? "sbom" : statements !== undefined ? "vex" : "",
    format: sbom?.format ?? (statements === undefined ? "" : "OpenVEX"),
    used: hasStatements || (sbom !== undefined && sbom === chosen?.sbom),
    refusal: refusal?.code ?? "",
    description: refusal?.message ?? "",
  };
}

/** The inventory of an image whose manifest no registry has. */
export function unavailable(): ImageInventory {
  return {
    ...{
      state: InventoryState.REFUSED,
      reason: "unavailable",
      source: InventorySource.UNSPECIFIED,
    },
    ...{ document: "", packages: [], withoutPurl: 0, statements: [] },
    detail: {
      description: "no registry has the image",
      ...{ format: "", tool: "", generated: "", operatingSystem: "", documents: [], remarks: [] },
    },
  };
}
