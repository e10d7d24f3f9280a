import { Link } from "@tanstack/react-router";
import type { RoleBindingJson } from "@wharf/contract/messages";
import { useAccess } from "../../api/access.ts";
import { api, useChange } from "../../api/client.ts";
import { screenLink, usePlace } from "../../app/place.ts";
import { accessTexts } from "../../texts/access.ts";
import { texts } from "../../texts/common.ts";
import { FormDialog } from "../../ui/form.tsx";
import { Icon } from "../../ui/icons.tsx";
import { Page } from "../../ui/page.tsx";
import { Picker } from "../../ui/picker.tsx";
import { useIdentityChoices, useRoleChoices } from "../../ui/pickers.tsx";
import { ResourceList } from "../../ui/resource-list.tsx";
import type { Column } from "../../ui/table.tsx";
import { Age } from "../../ui/time.tsx";
import { toast } from "../../ui/toast.tsx";

/** Who has access at a place, and why: bindings there and in the folders above it. */
export function Screen() {
  const { uid } = usePlace();
  const { can } = useAccess();
  // Of a resource that is no group, the ancestors include its own group.
  const columns: readonly Column<RoleBindingJson>[] = [
    {
      header: texts.columns.who,
      cell: ({ identity }) => (
        <>
          {identity?.name || identity?.email || accessTexts.unnamed}
          {identity?.subject && <small className="soft">{identity.subject}</small>}
        </>
      ),
    },
    { header: texts.columns.role, cell: ({ role }) => role?.name ?? accessTexts.unnamed },
    {
      header: texts.columns.from,
      cell: ({ uid: binding = "", group }) => {
        const at = binding.split("/").slice(0, -1).join("/");
        return at === uid ? (
          accessTexts.here
        ) : (
          <Link {...screenLink("access", at)}>{group?.name ?? at}</Link>
        );
      },
    },
    {
      header: texts.columns.created,
      sort: "create_time",
      cell: ({ createTime }) => <Age time={createTime} />,
      isExtra: true,
    },
    {
      header: texts.columns.actions,
      cell: (binding) =>
        can("role_bindings.delete", groupOf(binding)) && <Revoke binding={binding} />,
    },
  ];
  return (
    <Page
      title={texts.screens.access}
      place={uid}
      command={{
        cli: `wharf access list --resource ${uid}`,
        rest: `/iam/v2beta1/roleBindings?uidp.ancestors_of=${uid}/0000000000000000`,
      }}
      actions={can("role_bindings.create", uid) && <Grant parent={uid} />}
    >
      <ResourceList
        label={texts.screens.access}
        method={api.roleBindings.list}
        request={{ uidp: { ancestorsOf: `${uid}/0000000000000000` } }}
        rows={({ roleBindings }) => roleBindings}
        columns={columns}
        defaultSort="create_time desc"
        emptyTitle={accessTexts.empty}
        emptyText={accessTexts.emptyText}
      />
    </Page>
  );
}

/** The group of a binding. */
function groupOf({ uid = "" }: RoleBindingJson): string {
  return uid.split("/").slice(0, -1).join("/");
}

function Grant({ parent }: { readonly parent: string }) {
  const create = useChange(api.roleBindings.create, [api.auth.validate]);
  return (
    <FormDialog
      title={accessTexts.grant}
      submit={accessTexts.grant}
      trigger={
        <>
          <Icon name="plus" />
          {accessTexts.grant}
        </>
      }
      onSubmit={async (text) => {
        const roleBinding = { identityUid: text("identity"), roleUid: text("role") };
        await create.mutateAsync({ parent, roleBinding });
        toast(accessTexts.granted);
      }}
    >
      <Picker label={accessTexts.identity} name="identity" useChoices={useIdentityChoices} />
      <Picker label={accessTexts.role} name="role" useChoices={useRoleChoices} />
    </FormDialog>
  );
}

function Revoke({ binding }: { readonly binding: RoleBindingJson }) {
  const remove = useChange(api.roleBindings.delete, [api.auth.validate]);
  const who = binding.identity?.name || accessTexts.unnamed;
  const role = binding.role?.name ?? accessTexts.unnamed;
  return (
    <FormDialog
      title={accessTexts.revokeTitle(who, role)}
      submit={accessTexts.revoke}
      isDangerous
      trigger={accessTexts.revoke}
      className="button quiet small"
      onSubmit={async () => {
        await remove.mutateAsync({ uid: binding.uid ?? "" });
        toast(accessTexts.revoked);
      }}
    >
      <p>{accessTexts.revokeText}</p>
    </FormDialog>
  );
}
