import { hash } from "node:crypto";
import {
  parentOf,
  type VerificationKey,
  VerificationKeySchema,
  VerificationKeysService,
} from "@wharf/contract";
import { Resource } from "../../engine/resource.ts";
import type { Mutation } from "../../engine/write/mutation.ts";
import { type FieldViolation, failedPrecondition, invalidArgument } from "../../lib/errors.ts";
import { requestWork } from "../../store/tables/exposure/work/work.ts";
import { keysOfGroups } from "../../store/tables/registry/signatures.ts";
import { pemBlocks, publicKeyProblem } from "./public-key.ts";
import { TrustRootError, trustMaterialOf } from "./trust-material.ts";

/** Keys of one group: each signature below may be compared with all of them. */
const MAX_KEYS = 32;

/** Verification keys. What they verify is decided in the background, from the keys that are stored then. */
export const verificationKeys: Resource<VerificationKey> = new Resource({
  service: VerificationKeysService,
  schema: VerificationKeySchema,
  table: "verification_keys",
  tree: { uniqueNames: true },
  index: { filters: [{ field: "name", column: "name", type: "common" }] },
  hooks: {
    async beforeCreate(mutation, created) {
      const group = parentOf(created.uid);
      const stored = await keysOfGroups(mutation.tx, [group], MAX_KEYS);
      if (stored.length >= MAX_KEYS) {
        const description = `a group has at most ${MAX_KEYS} verification keys`;
        throw failedPrecondition({ type: "RESOURCE_LIMIT_EXCEEDED", subject: group, description });
      }
      await accept(mutation, created);
    },
    beforeUpdate: (mutation, _before, after) => accept(mutation, after),
    beforeDelete: (mutation, deleted) => requestVerification(mutation, deleted),
  },
});

async function accept(mutation: Mutation, key: VerificationKey): Promise<void> {
  const problems = await problemsOf(key);
  if (problems.length > 0) throw invalidArgument(...problems);
  const [der] = pemBlocks(key.publicKey, "PUBLIC KEY") ?? [];
  key.fingerprint = der === undefined ? "" : `sha256:${hash("sha256", der, "hex")}`;
  await requestVerification(mutation, key);
}

async function problemsOf({
  name,
  publicKey,
  keyless,
}: VerificationKey): Promise<FieldViolation[]> {
  const found: FieldViolation[] = [];
  const add = (field: string, rest: string | undefined) => {
    if (rest !== undefined) found.push({ field, description: `${field} ${rest}` });
  };
  if (name.trim() !== name) add("name", "must not have spaces around it");
  if ((publicKey === "") === (keyless === undefined)) {
    add("publicKey", "or keyless is required, and not both");
  } else if (keyless === undefined) {
    add("publicKey", publicKeyProblem(publicKey));
  } else {
    const isBoth = keyless.trustedRoot !== "" && keyless.certificateAuthority !== "";
    if (isBoth) add("keyless.trustedRoot", "and certificateAuthority are mutually exclusive");
    const error = isBoth ? undefined : await trustMaterialOf(keyless).catch((reason) => reason);
    if (error instanceof TrustRootError) add(`keyless.${error.field}`, error.message);
    else if (error instanceof Error) throw error;
  }
  return found;
}

function requestVerification({ tx }: Mutation, { uid }: VerificationKey): Promise<void> {
  return requestWork(tx, [{ kind: "keys", key: parentOf(uid) }]);
}
