import { api, client } from "../../api/client.ts";

/** Grants a role to an identity that was just created; without it, the identity is deleted again. */
export async function bindRole(
  parent: string,
  identityUid: string,
  roleUid: string,
): Promise<void> {
  try {
    await client.call(api.roleBindings.create, { parent, roleBinding: { identityUid, roleUid } });
  } catch (thrown) {
    // The first error is the reason; an identity without its role would be a surprise.
    await client.call(api.identities.delete, { uid: identityUid }).catch(() => {});
    throw thrown;
  }
}
