import { isDeepStrictEqual } from "node:util";
import { create } from "@bufbuild/protobuf";
import { Capability, capabilityName, parentOf, type Tag, TagSchema } from "@wharf/contract";
import { permissionDenied } from "../../lib/errors.ts";
import type { Call } from "../../rpc/call.ts";
import { validate } from "../../rpc/validate.ts";
import type { TagUpdate } from "../ingest/tag-state.ts";

/** Validates the fields of a tag whose digest may be left out. */
export function validateTag(input: { name: string; digest: string; bundles: string[] }): void {
  const digest = input.digest || PLACEHOLDER_DIGEST;
  validate(TagSchema, create(TagSchema, { ...input, digest }));
}

const PLACEHOLDER_DIGEST = `sha256:${"0".repeat(64)}`;

function contentOf({ digest, deprecated = false, bundles = [] }: TagUpdate) {
  return { digest, deprecated, bundles };
}

const UPDATE = Capability.CAP_TAG_UPDATE;

/** `tag.create` creates tags and confirms existing ones; any change of one takes `tag.update`. */
export function checkReplace({ caller }: Call, before: Tag | undefined, update: TagUpdate): void {
  if (before === undefined || caller.grants.holds([UPDATE], before.uid)) return;
  if (!isDeepStrictEqual(contentOf(update), contentOf(before))) {
    throw permissionDenied([capabilityName(UPDATE)], parentOf(before.uid));
  }
}
