import { api, client } from "../../api/client.ts";
import { session } from "../../api/session.ts";
import { isDenied } from "../../ui/lasting-error.ts";
import { isSignInNeeded } from "../../ui/sign-in-again.tsx";

/**
 * Rejects if the person cannot grant a role now. Called before the identity for it is created: where a recent sign-in is
 * missing, the form is sent again afterwards, and must not have created anything. It tries to grant the role to the person,
 * who exists; other errors than these are about that and mean nothing here.
 */
export async function checkRole(parent: string, roleUid: string): Promise<void> {
  const { identity: identityUid } = await session();
  const request = { parent, roleBinding: { identityUid, roleUid } };
  await client
    .call(api.roleBindings.create, request, { headers: DRY_RUN })
    .catch((error: Error) => {
      if (isSignInNeeded(error) || isDenied(error)) throw error;
    });
}

const DRY_RUN = { "wharf-dry-run": "true" };

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
