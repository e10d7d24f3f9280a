import { setTimeout as sleep } from "node:timers/promises";
import type { ImageSignature } from "@wharf/client";
import { SignatureForm } from "@wharf/contract";
import type { Run } from "../command/types.ts";
import { CommandError, EXIT } from "../errors.ts";
import { wordOf } from "../exposure/columns.ts";
import { resolveImage } from "../exposure/image-argument.ts";
import type { Column } from "../output/columns.ts";
import type { signaturesDefinition } from "./commands.ts";

/** Signatures are verified within seconds of their push, unless there is a queue. */
const MAX_WAIT_MS = 120_000;
const POLL_MS = 500;

const COLUMNS: readonly Column<ImageSignature>[] = [
  {
    header: "Verified",
    value: ({ verified, reason }) => (verified ? "yes" : `no: ${reason}`),
    style: ({ verified }) => (verified ? "green" : "yellow"),
  },
  { header: "Key", value: ({ keyName }) => keyName },
  { header: "Signer", value: ({ subject }) => subject },
  { header: "Signed", value: ({ signTime }) => signTime },
  { header: "Type", value: ({ predicateType }) => predicateType || "signature" },
  { header: "Form", value: ({ form }) => wordOf(SignatureForm, form), wide: true },
  { header: "Issuer", value: ({ issuer }) => issuer, wide: true },
  { header: "Reason", value: ({ description }) => description, wide: true },
  { header: "Document", value: ({ documentDigest }) => documentDigest, wide: true },
];

/** Prints the signatures of an image, and fails if one must be verified and none is. */
export const signatures: Run<typeof signaturesDefinition> = async (context, args) => {
  const { image, requireVerified } = args;
  const named = await resolveImage(context, image);
  const { signatures: service } = await context.client();
  const { signal } = context;
  const found = await context.progress(`listing signatures of ${image}`, async () => {
    for (const deadline = Date.now() + MAX_WAIT_MS; ; ) {
      const { signatures: all, pending } = await service.listImage(named, { signal });
      const isVerified = all.some(({ verified }) => verified);
      if (!pending || !requireVerified || isVerified || Date.now() > deadline) return all;
      await sleep(POLL_MS, undefined, { signal });
    }
  });
  const id = ({ documentDigest }: ImageSignature) => documentDigest;
  await context.out.list(found, COLUMNS, { id, what: "signatures", arrangement: args });
  if (!requireVerified || found.some(({ verified }) => verified)) return;
  throw new CommandError({
    message: `${image} has no verified signature: ${found[0]?.description ?? "it is not signed"}`,
    exitCode: EXIT.findings,
  });
};
