import { fromJson, type JsonObject, type MessageInitShape } from "@bufbuild/protobuf";
import type { Identity } from "@wharf/client";
import { IdentitySchema } from "@wharf/contract";
import type { Run } from "../../../command/types.ts";
import type { Context } from "../../../context.ts";
import { failed, usageError } from "../../../errors.ts";
import { problemOf } from "../../../problem.ts";
import { resolveGroup } from "../../../resolve/groups.ts";
import { resolveRole } from "../../../resolve/resolve.ts";
import { confirmTwins, twinsNamed } from "../../../resource/twins.ts";
import { definedFields, readObject } from "../../../resource/values.ts";
import { IDENTITY_COLUMNS } from "../columns.ts";
import { relationshipOf } from "../relationship.ts";
import type { genericDefinition } from "./commands.ts";

export const createGeneric: Run<typeof genericDefinition> = async (context, args) => {
  const { parent, role, file, description } = args;
  const relationship = relationshipOf(args);
  if (file !== undefined && relationship !== undefined) {
    throw usageError("--file excludes options that say which tokens the identity trusts");
  }
  const fromFile = file === undefined ? {} : await readIdentityFile(file);
  if (file === undefined && relationship === undefined) {
    throw usageError(
      "nothing says which tokens the identity trusts",
      "give --issuer and --subject, --issuer-keys, --aws-account, --service-principal or --file",
    );
  }
  let { name } = args;
  if (name === undefined && !("name" in fromFile && fromFile.name)) {
    context.prompt.require("NAME is missing", "give it before the options, or in the file");
    name = await context.prompt.text("NAME: Name of the identity");
  }
  const identity = { ...fromFile, ...definedFields({ name, description, relationship }) };
  await createIdentity(context, { parent, roles: role, identity });
};

/** Reads an identity from a file with the fields of the API. */
export async function readIdentityFile(text: string): Promise<Identity> {
  const json = await readObject("--file", text);
  try {
    return fromJson(IdentitySchema, json as JsonObject);
  } catch (error) {
    throw usageError(
      `--file is not an identity: ${(error as Error).message}`,
      "its fields are those that `wharf iam identities describe -o yaml` prints",
    );
  }
}

export interface NewIdentity {
  readonly parent: string;
  readonly roles: readonly string[];
  readonly identity: MessageInitShape<typeof IdentitySchema>;
}

/** Creates an identity and binds its roles. If they cannot be bound, the identity is deleted. */
export async function createIdentity(
  context: Context,
  { parent, roles, identity }: NewIdentity,
): Promise<void> {
  const group = await resolveGroup(context, parent);
  const roleUids = await Promise.all(
    [...new Set(roles)].map((role) => resolveRole(context, role, group.uid)),
  );
  const { identities } = await context.client();
  const { signal } = context;
  const twins = { name: identity.name ?? "", uidp: { childrenOf: group.uid }, pageSize: 1 };
  await confirmTwins(context, group.name, () =>
    twinsNamed(identities.listAll(twins, { signal }), "an identity"),
  );
  const created = await identities.create({ parent: group.uid, identity }, { signal });
  if (roleUids.length > 0 && !context.settings.dryRun)
    await bindOrDelete(context, group.uid, created, roleUids);
  const bound = roles.length > 0 ? boundText(context, roles) : "";
  context.err.note(`created identity ${created.name} in ${group.name}${bound}`);
  await context.out.one(created, IDENTITY_COLUMNS);
}

function boundText({ settings }: Context, roles: readonly string[]): string {
  const names = roles.join(", ");
  // There is no identity that roles could be bound to.
  return settings.dryRun ? `; binding it to ${names} is not tried` : `, bound to ${names}`;
}

async function bindOrDelete(
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
      // Without the signal: an interrupt must not leave the identity behind.
      await identities.delete({ uid });
    } catch (deletion) {
      throw failed(
        `identity ${name} (${uid}) was created, its roles could not be bound (${problemOf(error).message}), and it could not be deleted (${problemOf(deletion).message})`,
        `delete it with \`wharf iam identities delete ${uid}\``,
      );
    }
    context.err.warn(`the roles could not be bound, so identity ${name} was deleted`);
    throw error;
  }
}
