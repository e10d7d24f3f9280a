import type { VerificationKey } from "@wharf/client";
import type { Run } from "../command/types.ts";
import { usageError } from "../errors.ts";
import { type Column, UID } from "../output/columns.ts";
import { resolveGroup } from "../resolve/groups.ts";
import { VERIFICATION_KEY } from "../resolve/kinds.ts";
import { withGroup } from "../resource/group-column.ts";
import { printOne, type Resource } from "../resource/run.ts";
import { definedFields } from "../resource/values.ts";
import type { createDefinition } from "./commands.ts";

const COLUMNS: readonly Column<VerificationKey>[] = [
  { header: "Name", value: ({ name }) => name },
  { header: "Issuer", value: ({ keyless }) => keyless?.issuer },
  { header: "Subject", value: ({ keyless }) => keyless?.subject },
  { header: "Fingerprint", value: ({ fingerprint }) => fingerprint },
  { header: "Updated", value: ({ updateTime }) => updateTime, wide: true },
  UID,
];

export const resource: Resource<VerificationKey> = {
  kind: VERIFICATION_KEY,
  columns: withGroup(COLUMNS),
  details: [...COLUMNS, { header: "Public key", value: ({ publicKey }) => publicKey }],
};

export const create: Run<typeof createDefinition> = async (context, args) => {
  const { name, publicKey = "", issuer, subject } = args;
  const isKeyless = issuer !== undefined || subject !== undefined;
  if (isKeyless === (publicKey !== "")) {
    throw usageError("give --public-key, or --issuer and --subject");
  }
  const { trustedRoot, certificateAuthority, transparencyLogs, certificateLogs } = args;
  const root = { trustedRoot, certificateAuthority, transparencyLogs, certificateLogs };
  const parent = await resolveGroup(context, args.parent);
  const verificationKey = {
    ...{ name, publicKey },
    ...(isKeyless && { keyless: { ...definedFields({ issuer, subject, ...root }) } }),
  };
  const { verificationKeys } = await context.client();
  const request = { parent: parent.uid, verificationKey };
  const created = await verificationKeys.create(request, { signal: context.signal });
  context.err.note(`created verification key ${created.name} in ${parent.name}`);
  await printOne(context, resource, created);
};
