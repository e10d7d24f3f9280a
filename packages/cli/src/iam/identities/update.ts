import type { Run } from "../../command/types.ts";
import { usageError } from "../../errors.ts";
import { IDENTITY } from "../../resolve/kinds.ts";
import { resolve } from "../../resolve/resolve.ts";
import { readObject } from "../../resource/document.ts";
import { changesOf } from "../../resource/given.ts";
import { IDENTITY_COLUMNS } from "./columns.ts";
import type { updateDefinition } from "./commands.ts";
import { readIdentity } from "./create/generic.ts";
import { relationshipOf } from "./create/relationship.ts";

/** What only the server sets; files that `describe` wrote have it. */
const NOT_OURS = new Set([
  "uid",
  "createTime",
  "updateTime",
  "lastSeenTime",
  "email",
  "emailUnverified",
]);

export const run: Run<typeof updateDefinition> = async (context, args) => {
  const { name, description, file } = args;
  const before = await resolve(context, IDENTITY, args.identity);
  const relationship = relationshipOf(args, before.relationship.case);
  const { identities } = await context.client();
  const { signal } = context;
  if (file !== undefined) {
    if ([name, description, relationship].some((one) => one !== undefined)) {
      throw usageError("--file excludes other options");
    }
    const updateMask = Object.keys(await readObject("--file", file)).filter(
      (field) => !NOT_OURS.has(field),
    );
    const identity = { ...(await readIdentity(file)), uid: before.uid };
    const updated = await identities.update({ identity, updateMask }, { signal });
    return context.out.one(updated, IDENTITY_COLUMNS);
  }
  const changes = changesOf(
    { name, description, relationship },
    "--name, --description, --file or how it proves itself",
  );
  const updated = await identities.update(
    { identity: { uid: before.uid, ...changes } },
    { signal },
  );
  await context.out.one(updated, IDENTITY_COLUMNS);
};
