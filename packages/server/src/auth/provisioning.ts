import type { Reader } from "../store/db/connection.ts";
import type { Transaction } from "../store/db/group-commit.ts";
import { readScimCredentials } from "../store/tables/scim-credentials.ts";
import { forgetMembers, groupsOf } from "../store/tables/scim-members.ts";
import { scimGroups, scimUsers } from "../store/tables/scim-resources.ts";

/** A person as provisioning knows them. */
export interface ProvisionedUser {
  /** Our id, in the identity provider's own list. */
  readonly id: string;
  readonly userName: string;
  readonly active: boolean;
}

/** A group that a person is in, by the names that the identity provider has for it. */
export interface ProvisionedGroup {
  /** Empty where the provider gave none. */
  readonly externalId: string;
  readonly displayName: string;
}

/** Whether an identity provider says who may log in through it. */
export async function isProvisioned(reader: Reader, provider: string): Promise<boolean> {
  return (await readScimCredentials(reader, provider)).enabled === 1;
}

/**
 * The person whom a login is of: the one with this external id, whoever else has their e-mail address.
 */
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

/**
 * Whether a person may log in through an identity provider: anyone, unless it says who its people are.
 */
export async function maySignIn(
  reader: Reader,
  provider: string,
  externalId: string,
): Promise<boolean> {
  if (!(await isProvisioned(reader, provider))) return true;
  return (await findProvisionedUser(reader, provider, externalId))?.active ?? false;
}

/**
 * The groups that a person is in.
 *
 * @example const groups = await scimGroupsOf(reader, provider.uid, user.id);
 */
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

/** Forgets everyone that an identity provider provisioned, when it is deleted. */
export async function deleteProvisioned(tx: Transaction, provider: string): Promise<void> {
  await forgetMembers(tx, provider);
  await scimUsers.deleteAll(tx, provider);
  await scimGroups.deleteAll(tx, provider);
}
