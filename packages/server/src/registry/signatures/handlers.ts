import { create, type DescMethod } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import {
  ancestorsOf,
  type ImageSignature,
  ImageSignatureSchema,
  type ListImageSignaturesRequest,
  ListImageSignaturesResponseSchema,
  type ListSignatureStatesRequest,
  ListSignatureStatesResponseSchema,
  SignatureState,
  SignaturesService,
} from "@wharf/contract";
import type { ResourceStore } from "../../engine/catalog.ts";
import { notFound } from "../../lib/errors.ts";
import { type Handler, onlyReads } from "../../rpc/call.ts";
import { messageReply } from "../../rpc/reply.ts";
import { signatureWork } from "../../store/tables/exposure/work/image-work.ts";
import { isRequested } from "../../store/tables/exposure/work/work.ts";
import { findManifest } from "../../store/tables/registry/manifests.ts";
import {
  type CurrentSignature,
  signatureCounts,
  signaturesOf,
} from "../../store/tables/registry/signatures.ts";
import { mustExist } from "../images/list-images.ts";

/** The handlers of SignaturesService. */
export function signatureHandlers(deps: ResourceStore): (readonly [DescMethod, Handler])[] {
  const { method } = SignaturesService;
  return [
    [method.listImageSignatures, listImageSignatures(deps)],
    [method.listSignatureStates, listSignatureStates(deps)],
  ];
}

function listImageSignatures({ store }: ResourceStore): Handler {
  return onlyReads(async (call, message) => {
    const { repoUid, digest } = message as ListImageSignaturesRequest;
    const reader = store.readerFor(call);
    if ((await findManifest(reader, repoUid, digest)) === undefined) {
      throw notFound("Image", `${repoUid}@${digest}`);
    }
    const keys = ancestorsOf(repoUid).map((key) => ({ kind: "keys", key }) as const);
    const pending = await isRequested(reader, [signatureWork(repoUid, digest), ...keys]);
    const stored = await signaturesOf(reader, repoUid, digest);
    const response = create(ListImageSignaturesResponseSchema, {
      signatures: stored.map(toSignature),
      pending: pending || stored.some(isOutdated),
    });
    return messageReply(ListImageSignaturesResponseSchema, response);
  });
}

/** Whether it was verified with a key that has changed, or was deleted: it is verified again. */
function isOutdated({ reason, keyName }: CurrentSignature): boolean {
  return reason === "" && keyName === null;
}

function toSignature(stored: CurrentSignature): ImageSignature {
  const { form, keyUid, keyName, reason, checked } = stored;
  const { description, predicateType, subject, issuer, time } = stored.detail;
  const changed = { reason: "key_changed", description: "its verification key has changed" };
  const verified = { verified: true, keyUid, keyName: keyName ?? "" };
  const result = reason !== "" ? { reason, description } : isOutdated(stored) ? changed : verified;
  return create(ImageSignatureSchema, {
    ...{ form, predicateType, subject, issuer, ...result },
    ...(keyName !== null && time > 0 && { signTime: timestampFromMs(time) }),
    verifyTime: timestampFromMs(checked),
    manifestDigest: stored.detail.manifest,
    documentDigest: stored.detail.document,
  });
}

function listSignatureStates(deps: ResourceStore): Handler {
  return onlyReads(async (call, message) => {
    const { repoUid, digests } = message as ListSignatureStatesRequest;
    await mustExist(deps, repoUid);
    const counts = await signatureCounts(deps.store.readerFor(call), repoUid, digests);
    const states = counts.map((one) => ({
      ...one,
      state: one.verified > 0 ? SignatureState.VERIFIED : SignatureState.UNVERIFIED,
    }));
    const response = create(ListSignatureStatesResponseSchema, { states });
    return messageReply(ListSignatureStatesResponseSchema, response);
  });
}
