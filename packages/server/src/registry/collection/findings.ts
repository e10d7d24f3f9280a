import type { Reader } from "../../store/db/connection.ts";
import type { Blob } from "../../store/tables/registry/blobs.ts";
import { type RegistryPass, readPass } from "../../store/tables/registry/passes.ts";

/** `collection` deletes garbage, `preview` only examines what would be deleted. */
export type PassKind = "collection" | "preview";

/** The names of the passes in the store: no host has a space. */
export const PASS_NAMES: Readonly<Record<PassKind, string>> = {
  collection: "own content: collection",
  preview: "own content: preview",
};

/** The results of a pass so far. Stored as JSON, so field names are part of the stored data. */
export interface Findings {
  /** Blobs that stay, and in a preview, all. */
  readonly blobs: number;
  /** Their bytes, each blob counted once. */
  readonly bytes: number;
  /** Their bytes, each blob counted for every repo that links to it. */
  readonly linkedBytes: number;
  /** Garbage: deleted, and in a preview, what would be. */
  readonly freedBlobs: number;
  readonly freedBytes: number;
  /** Blobs that only leases keep. */
  readonly leasedBlobs: number;
  readonly leasedBytes: number;
  /** When the last of these leases ends; 0 for none. */
  readonly leasedUntil: number;
}

export const NO_FINDINGS: Findings = {
  ...{ blobs: 0, bytes: 0, linkedBytes: 0, freedBlobs: 0, freedBytes: 0 },
  ...{ leasedBlobs: 0, leasedBytes: 0, leasedUntil: 0 },
};

/** Findings with blobs that were deleted. */
export function withFreed(findings: Findings, blobs: readonly Pick<Blob, "size">[]): Findings {
  const bytes = blobs.reduce((sum, { size }) => sum + size, 0);
  const { freedBlobs, freedBytes } = findings;
  return { ...findings, freedBlobs: freedBlobs + blobs.length, freedBytes: freedBytes + bytes };
}

/** A pass that has ended. */
export interface EndedPass extends Findings {
  readonly began: number;
  readonly finished: number;
}

/** The JSON that the store has for the passes of a kind. */
interface StoredFindings {
  /** Findings of the running pass. */
  readonly current?: Findings;
  readonly last?: EndedPass;
}

export interface PassState extends RegistryPass {
  readonly current: Findings | undefined;
  readonly ended: EndedPass | undefined;
}

export async function readPassState(reader: Reader, kind: PassKind): Promise<PassState> {
  const pass = await readPass(reader, PASS_NAMES[kind]);
  const { current, last: ended } = JSON.parse(pass.findings) as StoredFindings;
  return { ...pass, current: pass.began > 0 ? current : undefined, ended };
}

export function findingsText(stored: StoredFindings): string {
  return JSON.stringify(stored);
}

/** Sums over what is stored, by the last pass of either kind; undefined before the first one. */
export async function readStored(
  reader: Reader,
): Promise<Pick<EndedPass, "blobs" | "bytes" | "linkedBytes" | "finished"> | undefined> {
  const { ended: collected } = await readPassState(reader, "collection");
  const { ended: examined } = await readPassState(reader, "preview");
  return (examined?.finished ?? 0) > (collected?.finished ?? 0) ? examined : collected;
}

/** The share of all blobs before a digest: digests are evenly distributed, and read in their order. */
export function shareBefore(digest: string): number {
  const [, hex = ""] = digest.split(":");
  return hex === "" ? 0 : Number.parseInt(hex.slice(0, 8), 16) / 2 ** 32;
}
