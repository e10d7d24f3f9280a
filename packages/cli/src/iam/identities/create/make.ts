import type { MessageInitShape } from "@bufbuild/protobuf";
import type { Identity } from "@wharf/client";
import type { IdentitySchema } from "@wharf/contract";
import type { Context } from "../../../context.ts";
import { failed } from "../../../errors.ts";
import { problemOf } from "../../../problem.ts";
import { resolveGroup } from "../../../resolve/groups.ts";
import { resolveRoles } from "../../../resolve/roles.ts";
import { IDENTITY_COLUMNS } from "../columns.ts";

export interface Wish {
  readonly parent: string;
  readonly roles: readonly string[];
  readonly identity: MessageInitShape<typeof IdentitySchema>;
}

/**
 * Creates an identity and binds its roles. When these cannot be bound, there is no identity either.
 */
export async function makeIdentity(
  context: Context,
  { parent, roles, identity }: Wish,
): Promise<Identity> {
  const group = await resolveGroup(context, parent);
  const roleUids = await resolveRoles(context, roles, group.uid);
  const { identities } = await context.client();
  const { signal } = context;
  const made = await identities.create({ parent: group.uid, identity }, { signal });
  if (roleUids.length > 0) await bindOrUndo(context, group.uid, made, roleUids);
  const bound = roles.length > 0 ? `, bound to ${roles.join(", ")}` : "";
  context.err.note(`created identity ${made.name} in ${group.name}${bound}`);
  await context.out.one(made, IDENTITY_COLUMNS);
  return made;
}

async function bindOrUndo(
  context: Context,
  parent: string,
  { uid, name }: Identity,
  roleUids: readonly string[],
): Promise<void> {
  const { identities, roleBindings } = await context.client();
  const requests = roleUids.map((roleUid) => ({ roleBinding: { identityUid: uid, roleUid } }));
  try {
    await roleBindings.batchCreate({ parent, requests }, { signal: context.signal });
  } catch (error) {
    try {
      // Not with the signal: an interrupt must not leave half of it behind.
      await identities.delete({ uid });
    } catch (undoing) {
      const why = problemOf(undoing).message;
      throw failed(
        `identity ${name} (${uid}) was created, its roles could not be bound (${problemOf(error).message}), and it could not be deleted again (${why})`,
        `\`wharf iam identities delete ${uid}\` deletes it`,
      );
    }
    context.err.warn(`the roles could not be bound, so identity ${name} was deleted again`);
    throw error;
  }
}
