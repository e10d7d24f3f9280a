import type { MessageInitShape } from "@bufbuild/protobuf";
import type { AccountAssociation } from "@wharf/client";
import { type AccountAssociationSchema, isUid } from "@wharf/contract";
import type { Context } from "../../context.ts";
import { problemOf } from "../../problem.ts";
import { resolveGroup } from "../../resolve/groups.ts";
import { ASSOCIATION_COLUMNS } from "./columns.ts";
import { PROVIDERS, type Provider } from "./providers.ts";

type Accounts = Pick<
  MessageInitShape<typeof AccountAssociationSchema> & object,
  "amazon" | "google" | "azure" | "github"
>;

/** The association of a group; undefined when it has none. */
export async function associationOf(
  { client, signal }: Context,
  uid: string,
): Promise<AccountAssociation | undefined> {
  const { accountAssociations } = await client();
  try {
    return await accountAssociations.get({ uid }, { signal });
  } catch (error) {
    if (problemOf(error).code === "NOT_FOUND") return undefined;
    throw error;
  }
}

/** The uid of a group; one that is given needs no look. */
export async function groupUid(context: Context, text: string): Promise<string> {
  return isUid(text) ? text : (await resolveGroup(context, text)).uid;
}

/** Sets a group's accounts at one provider; what it has elsewhere stays. */
export async function setAccounts(
  context: Context,
  text: string,
  provider: Provider,
  accountsOf: (before: AccountAssociation | undefined) => Accounts,
): Promise<void> {
  const { uid, name } = await resolveGroup(context, text);
  const before = await associationOf(context, uid);
  const accounts = accountsOf(before);
  const { accountAssociations } = await context.client();
  const { signal } = context;
  const after =
    before === undefined
      ? await accountAssociations.create(
          { parent: uid, accountAssociation: { name, ...accounts } },
          { signal },
        )
      : await accountAssociations.update(
          { accountAssociation: { uid, ...accounts }, updateMask: [PROVIDERS[provider]] },
          { signal },
        );
  context.err.note(`set the accounts of ${name} at ${provider}`);
  await context.out.one(after, ASSOCIATION_COLUMNS);
}
