import type { RoleBindingJson } from "@wharf/contract/messages";
import { useAccess } from "../../api/access.ts";
import { api, useChange } from "../../api/client.ts";
import { useMe } from "../../api/me.ts";
import { parentOf } from "../../app/location.ts";
import { accessTexts } from "../../texts/access.ts";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { GroupPath } from "../../ui/group-path.tsx";
import { Withheld } from "../../ui/withheld.tsx";
import { nameOf } from "./who.tsx";

/** Deletes a role binding after a confirmation. */
export function Revoke({
  binding: { uid = "", identity, role },
}: {
  readonly binding: Pick<RoleBindingJson, "uid" | "identity" | "role">;
}) {
  const remove = useChange(api.roleBindings.delete, [api.access.list, api.auth.validate]);
  const { can } = useAccess();
  const me = useMe();
  if (!can("role_bindings.delete", uid)) {
    return (
      <Withheld
        label={accessTexts.revoke}
        capability="role_bindings.delete"
        className="button quiet small"
      />
    );
  }
  return (
    <ConfirmDialog
      change={remove}
      request={{ uid }}
      title={accessTexts.revokeTitle(nameOf(identity), role?.name ?? accessTexts.unnamed)}
      submit={accessTexts.revoke}
      isSmall
      message={accessTexts.revoked}
    >
      <p>{accessTexts.revokeText}</p>
      {me !== "" && identity?.uid === me && (
        <p className="warnings">
          <strong>
            {accessTexts.revokeOwn} <GroupPath uid={parentOf(uid)} />
            {accessTexts.revokeOwnUnless}
          </strong>
        </p>
      )}
    </ConfirmDialog>
  );
}
