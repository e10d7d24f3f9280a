import type { RoleBindingJson } from "@wharf/contract/messages";
import { useAccess } from "../../api/access.ts";
import { api, useChange } from "../../api/client.ts";
import { useMe } from "../../api/me.ts";
import { parentOf } from "../../app/place.ts";
import { accessTexts } from "../../texts/access.ts";
import { FormDialog } from "../../ui/form.tsx";
import { GroupPath } from "../../ui/group-path.tsx";
import { toast } from "../../ui/toast.tsx";
import { Withheld } from "../../ui/withheld.tsx";
import { nameOf } from "./who.tsx";

/** Takes a role away. */
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
  const title = accessTexts.revokeTitle(nameOf(identity), role?.name ?? accessTexts.unnamed);
  return (
    <FormDialog
      title={title}
      submit={accessTexts.revoke}
      isDangerous
      trigger={accessTexts.revoke}
      className="button quiet small"
      onSubmit={async () => {
        await remove.mutateAsync({ uid });
        toast(accessTexts.revoked);
      }}
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
    </FormDialog>
  );
}
