import type { Transaction } from "../store/db/commit/transaction.ts";
import type { Reader } from "../store/db/connection.ts";
import { readScimCredentials } from "../store/tables/scim/credentials.ts";
import { forgetMembers, groupsOf } from "../store/tables/scim/members.ts";
import { scimGroups, scimUsers } from "../store/tables/scim/resources.ts";

/** A user that an identity provider provisioned by SCIM. */
export interface ProvisionedUser {
  /** The SCIM id. */
  readonly id: string;
  readonly userName: string;
  readonly active: boolean;
}

/** A SCIM group of a user. */
export interface ProvisionedGroup {
  /** Empty if the identity provider sent none. */
  readonly externalId: string;
  readonly displayName: string;
}

/** Whether SCIM provisioning decides who may sign in through an identity provider. */
export async function isProvisioned(reader: Reader, provider: string): Promise<boolean> {
  return (await readScimCredentials(reader, provider)).enabled === 1;
}

/** The provisioned user with an external id. E-mail addresses do not count: users can share them. */
export async function findProvisionedUser(
  reader: Reader,
  provider: string,
  externalId: string,
): Promise<ProvisionedUser | undefined> {
  if (externalId === "") return undefined;
  const [row] = await scimUsers.where(reader, provider, "external_id", externalId);
  if (row === undefined) return undefined;
  const { userName, active } = JSON.parse(row.data) as ProvisionedUser;
  return { id: row.resource, userName, active };
}

/** Whether a person may sign in through an identity provider: everyone, unless it is provisioned. */
export async function maySignIn(
  reader: Reader,
  provider: string,
  externalId: string,
): Promise<boolean> {
  if (!(await isProvisioned(reader, provider))) return true;
  return (await findProvisionedUser(reader, provider, externalId))?.active ?? false;
}

/** The provisioned groups of a user. */
export async function provisionedGroupsOf(
  reader: Reader,
  provider: string,
  user: string,
): Promise<ProvisionedGroup[]> {
  const groups = await groupsOf(reader, provider, [user]);
  return groups.map(({ data }) => {
    const { externalId = "", displayName } = JSON.parse(data) as Partial<ProvisionedGroup>;
    return { externalId, displayName: displayName ?? "" };
  });
}

/** Deletes all users and groups that an identity provider provisioned. */
export async function deleteProvisioned(tx: Transaction, provider: string): Promise<void> {
  await forgetMembers(tx, provider);
  await scimUsers.deleteAll(tx, provider);
  await scimGroups.deleteAll(tx, provider);
}
