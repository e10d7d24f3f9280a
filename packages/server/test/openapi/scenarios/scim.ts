import { provisioning } from "../../support/providers/scim.ts";
import type { Recorder } from "../recorder.ts";

const USER = ["urn:ietf:params:scim:schemas:core:2.0:User"];
const GROUP = ["urn:ietf:params:scim:schemas:core:2.0:Group"];
const PATCH = ["urn:ietf:params:scim:api:messages:2.0:PatchOp"];

/** Provisioning by an identity provider. */
export async function scim(record: Recorder): Promise<void> {
  const { provider, scim } = await provisioning(record.world);
  const { token } = scim;
  for (const [operation, ...below] of [
    ["scimServiceProviderConfig"],
    ["scimResourceTypes"],
    ["scimResourceType", "User"],
    ["scimSchemas"],
    ["scimSchema", "urn:ietf:params:scim:schemas:core:2.0:Group"],
  ] as const)
    await record.call(operation, { path: [provider, ...below], token });
  const person = {
    schemas: USER,
    userName: "dev@acme.example",
    externalId: "00u1",
    active: true,
    name: { formatted: "Dev" },
    emails: [{ value: "dev@acme.example", primary: true }],
  };
  const at = (id: string) => ({ path: [provider, id], token });
  const user = await record.body("scimCreateUser", {
    ...{ path: provider, token, body: person },
  });
  await record.call("scimGetUser", at(user.id));
  await record.call("scimListUsers", {
    ...{ path: provider, token, query: { filter: 'userName eq "dev@acme.example"' } },
  });
  const replacing = { ...person, displayName: "Dev of Acme" };
  await record.call("scimReplaceUser", { ...at(user.id), body: replacing });
  const group = await record.body("scimCreateGroup", {
    ...{ path: provider, token },
    body: { schemas: GROUP, displayName: "builders", members: [{ value: user.id }] },
  });
  await record.call("scimGetGroup", at(group.id));
  await record.call("scimListGroups", { path: provider, token });
  await record.call("scimReplaceGroup", {
    ...at(group.id),
    body: { schemas: GROUP, displayName: "builders", members: [{ value: user.id }] },
  });
  const removal = [{ op: "remove", path: `members[value eq "${user.id}"]` }];
  await record.call("scimPatchGroup", {
    ...{ ...at(group.id), query: { attributes: "displayName,members" } },
    body: { schemas: PATCH, Operations: removal },
  });
  const deactivation = [{ op: "replace", path: "active", value: false }];
  await record.call("scimPatchUser", {
    ...at(user.id),
    body: { schemas: PATCH, Operations: deactivation },
  });
  await record.call("scimDeleteGroup", at(group.id));
  await record.call("scimDeleteUser", at(user.id));
}
