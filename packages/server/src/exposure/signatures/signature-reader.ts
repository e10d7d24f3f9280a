import type { Store } from "../../store/db/store.ts";
import { targetOf } from "../../store/tables/exposure/work/image-work.ts";
import { finishWork, requestWork, type Work } from "../../store/tables/exposure/work/work.ts";
import { findManifest } from "../../store/tables/registry/manifests.ts";
import {
  replaceSignatures,
  SIGNATURE_FORMS,
  type StoredSignature,
} from "../../store/tables/registry/signatures.ts";
import type { DocumentReader } from "../inventory/document-reader.ts";
import {
  type ContentsDeps,
  type ImageContents,
  openContents,
} from "../inventory/image-contents.ts";
import { SBOM_LIMITS } from "../sboms/limits.ts";
import type { WriteResult } from "../work/concurrent-reads.ts";
import { type AttachedSignature, attachedSignatures } from "./attached-signatures.ts";
import type {
  SignatureProblem,
  SignatureReading,
  SignatureRequest,
  TrustedKey,
} from "./signature-messages.ts";
import { trustedKeys } from "./trusted-keys.ts";

/** Bytes that are read for one image: an attestation may contain an SBOM. */
const MAX_TOTAL_BYTES = 2 * SBOM_LIMITS.bytes;

export interface SignatureReaderDeps extends ContentsDeps {
  readonly documents: DocumentReader;
}

/** Work `signatures`: verifies what is attached to a manifest as a signature, and returns what stores the results. */
export async function readSignatures(
  deps: SignatureReaderDeps,
  work: Work,
  signal: AbortSignal,
): Promise<WriteResult> {
  const { store } = deps;
  const { repo, digest } = targetOf(work);
  const keys = await trustedKeys(store.reader, repo);
  const contents = await openContents(deps, repo, digest, signal);
  const signatures =
    contents === undefined ? [] : await verifyAll(deps.documents, contents, digest, keys);
  return () => storeSignatures(store, work, keys, signatures);
}

/** Stores the results, unless the keys have changed meanwhile: then the work begins again. */
async function storeSignatures(
  store: Store,
  work: Work,
  keys: readonly TrustedKey[],
  signatures: readonly StoredSignature[],
): Promise<void> {
  const { repo, digest } = targetOf(work);
  const versionsOf = (some: readonly TrustedKey[]) =>
    some.map(({ uid, version }) => `${uid} ${version}`).join();
  await store.write(async (tx) => {
    if (versionsOf(await trustedKeys(tx, repo)) !== versionsOf(keys)) {
      return requestWork(tx, [work]);
    }
    const isStored = (await findManifest(tx, repo, digest)) !== undefined;
    await replaceSignatures(tx, repo, digest, isStored ? signatures : []);
    await finishWork(tx, work);
  });
}

/** Verifies what is attached to a manifest, up to a number of bytes. */
async function verifyAll(
  documents: DocumentReader,
  contents: ImageContents,
  digest: string,
  keys: readonly TrustedKey[],
): Promise<StoredSignature[]> {
  const found = await attachedSignatures(contents, digest);
  const manifest = found.length === 0 ? undefined : await contents.manifest(digest);
  if (manifest === undefined) return [];
  const results: StoredSignature[] = [];
  let total = 0;
  for (const one of found) {
    total += one.size;
    const isLarge = one.size > SBOM_LIMITS.bytes || total > MAX_TOTAL_BYTES;
    const reading = isLarge
      ? rejected("too_large", `It has ${one.size} bytes.`)
      : await readOne(documents, contents, one, { digest, manifest, keys });
    results.push(storedSignature(one, reading));
  }
  return results;
}

async function readOne(
  documents: DocumentReader,
  contents: ImageContents,
  { form, annotations, document }: AttachedSignature,
  signed: Pick<SignatureRequest, "digest" | "manifest" | "keys">,
): Promise<SignatureReading> {
  if (form === "notary") {
    return rejected("unsupported", "Signatures of the Notary Project are not verified.");
  }
  const bytes = await contents.blob(document, SBOM_LIMITS.bytes);
  if (bytes === undefined) return rejected("unavailable", "The registry does not have it.");
  const signature = { form, annotations, ...signed };
  const [read] = await documents.read({ bytes, isCompressed: false, digests: [], signature });
  // The thread has run out of memory.
  return read?.signature ?? rejected("too_large", "It needs too much memory.");
}

function rejected(problem: SignatureProblem, description: string): SignatureReading {
  const nothing = { key: undefined, predicateType: "", subject: "", issuer: "", time: 0 };
  return { ...nothing, problem, description };
}

function storedSignature(
  { form, manifest, document }: AttachedSignature,
  { key, problem, description, predicateType, subject, issuer, time }: SignatureReading,
): StoredSignature {
  return {
    form: SIGNATURE_FORMS[form],
    keyUid: key?.uid ?? "",
    keyVersion: key?.version ?? 0,
    reason: problem ?? "",
    detail: { description, predicateType, subject, issuer, time, manifest, document },
    checked: Date.now(),
  };
}
