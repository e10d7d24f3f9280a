import { hash } from "node:crypto";
import { promisify } from "node:util";
import { ImageInventorySchema, type UploadImageDocumentRequest } from "@wharf/contract";
import { audit } from "../../engine/audit/audit.ts";
import { Mutation, type WriteDeps } from "../../engine/write/mutation.ts";
import { invalidArgument } from "../../lib/errors.ts";
import { zlib } from "../../lib/runtime/lazy-builtins.ts";
import type { Call, Handler } from "../../rpc/call.ts";
import { messageReply } from "../../rpc/reply.ts";
import { type DocumentKind, writeDocument } from "../../store/tables/exposure/images/documents.ts";
import { imageWork } from "../../store/tables/exposure/work/image-work.ts";
import { requestWork } from "../../store/tables/exposure/work/work.ts";
import { isGzip } from "../gzip.ts";
import type { DocumentReading } from "../inventory/document-messages.ts";
import type { DocumentReader } from "../inventory/document-reader.ts";
import { findImageOrIndex, imagesOf, readImageInventory } from "./image-inventory.ts";

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  SPDX: "application/spdx+json",
  CycloneDX: "application/vnd.cyclonedx+json",
};

/** Of any of the wrappers: statements, envelopes and bundles. */
const ATTESTED = "application/json";

/** The handler of UploadImageDocument. A document that cannot be read is refused, and changes nothing. */
export function uploadDocument(deps: WriteDeps, documents: DocumentReader): Handler {
  const { store } = deps;
  return async (call, message) => {
    const request = message as UploadImageDocumentRequest;
    const { repoUid, digest, content } = request;
    const manifest = await findImageOrIndex(store.reader, repoUid, digest);
    const digests = [digest, ...imagesOf(manifest).map((image) => image.digest)];
    const isCompressed = isGzip(content);
    const document = readable(await documents.read({ bytes: content, isCompressed, digests }));
    if (!request.validateOnly) {
      const stored = isCompressed ? content : await promisify(zlib().gzip)(content);
      await write(deps, call, request, { ...document, content: stored });
    }
    const inventory = await readImageInventory(store.reader, repoUid, digest);
    return messageReply(ImageInventorySchema, inventory);
  };
}

interface Document {
  readonly kind: DocumentKind;
  readonly mediaType: string;
}

/** The kind of a document that has a single SBOM or VEX document. */
function readable(readings: readonly DocumentReading[]): Document {
  const refusal = readings.find((one) => one.refusal !== undefined)?.refusal;
  const [first] = readings;
  if (refusal !== undefined || first === undefined || readings.length > 1) {
    // The code is the one that attached documents are shown with.
    const why = refusal ? `${refusal.message} (${refusal.code})` : countOf(readings);
    throw invalidArgument({ field: "content", description: `the document ${why}` });
  }
  const { sbom, isAttested } = first;
  if (isAttested) return { kind: sbom === undefined ? "vex" : "sbom", mediaType: ATTESTED };
  if (sbom === undefined) return { kind: "vex", mediaType: "application/vnd.openvex+json" };
  return { kind: "sbom", mediaType: MEDIA_TYPES[sbom.format.replace(/-.*$/, "")] ?? "" };
}

function countOf({ length }: readonly DocumentReading[]): string {
  return length === 0 ? "has no SBOM and no VEX document" : "has several documents";
}

async function write(
  deps: WriteDeps,
  call: Call,
  { repoUid, digest, content: sent, $typeName }: UploadImageDocumentRequest,
  { kind, mediaType, content }: Document & { readonly content: Uint8Array },
): Promise<void> {
  const document = `sha256:${hash("sha256", sent, "hex")}`;
  await deps.store.writeFor(call, async (tx) => {
    await findImageOrIndex(tx, repoUid, digest);
    const { uid: author } = call.caller;
    const stored = { digest, kind, document, mediaType, content, time: call.time, author };
    await writeDocument(tx, repoUid, stored);
    await requestWork(tx, [imageWork(repoUid, digest)]);
    await audit(tx, call, { resource: repoUid, detail: { digest, kind, document } });
    const json = JSON.stringify({ repoUid, digest, kind });
    new Mutation(call, tx, deps).emit(call.method, repoUid, { type: $typeName, json });
  });
}
