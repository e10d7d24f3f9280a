import { Link } from "@tanstack/react-router";
import type { RoleBindingJson } from "@wharf/contract/messages";
import { useAccess } from "../api/access.ts";
import { api, useChange, useRead } from "../api/client.ts";
import { placeLink, usePlace } from "../app/place.ts";
import { texts } from "../texts.ts";
import { Empty } from "../ui/feedback.tsx";
import { FormDialog } from "../ui/form.tsx";
import { Icon } from "../ui/icons.tsx";
import { Page } from "../ui/page.tsx";
import { Picker } from "../ui/picker.tsx";
import { type Column, Table, useListRequest } from "../ui/table.tsx";
import { Age } from "../ui/time.tsx";
import { toast } from "../ui/toast.tsx";

/** Who has access at a place, and why: bindings there and in the folders above it. */
export function AccessScreen() {
  const { uid } = usePlace();
  const { can } = useAccess();
  const request = useListRequest("create_time desc");
  // Of a resource that is no group, the ancestors include its own group.
  const query = useRead(api.roleBindings.list, {
    ...request,
    uidp: { ancestorsOf: `${uid}/0000000000000000` },
  });
  const columns: readonly Column<RoleBindingJson>[] = [
    {
      header: texts.columns.who,
      cell: ({ identity }) => (
        <>
          {identity?.name || identity?.email || texts.access.unnamed}
          {identity?.subject && <small className="soft">{identity.subject}</small>}
        </>
      ),
    },
    { header: texts.columns.role, cell: ({ role }) => role?.name ?? texts.access.unnamed },
    {
      header: texts.columns.from,
      cell: ({ uid: binding = "", group }) => {
        const at = binding.split("/").slice(0, -1).join("/");
        return at === uid ? (
          texts.access.here
        ) : (
          <Link {...placeLink("access", at)}>{group?.name ?? at}</Link>
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
      <Table
        label={texts.screens.access}
        query={query}
        list={{ rows: query.data?.roleBindings, total: Number(query.data?.totalCount ?? 0) }}
        columns={columns}
        keyOf={(row) => row.uid ?? ""}
        defaultSort="create_time desc"
        empty={<Empty title={texts.access.empty}>{texts.access.emptyText}</Empty>}
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
      title={texts.access.grant}
      submit={texts.access.grant}
      trigger={
        <>
          <Icon name="plus" />
          {texts.access.grant}
        </>
      }
      onSubmit={async (text) => {
        const roleBinding = { identityUid: text("identity"), roleUid: text("role") };
        await create.mutateAsync({ parent, roleBinding });
        toast(texts.access.granted);
      }}
    >
      <Picker label={texts.access.identity} name="identity" useChoices={useIdentities} />
      <Picker label={texts.access.role} name="role" useChoices={useRoles} />
    </FormDialog>
  );
}

/** The API finds whole names; without one, it lists the first. */
function useIdentities(name: string) {
  const { data } = useRead(api.identities.list, {
    name: name.trim(),
    pageSize: 20,
    orderBy: "name",
  });
  return (data?.identities ?? []).map(({ uid = "", name: label = "", email }) => ({
    value: uid,
    label,
    ...(email && { hint: email }),
  }));
}

function useRoles(text: string) {
  const { data } = useRead(api.roles.list, { pageSize: 200, orderBy: "name" });
  const wanted = text.trim().toLowerCase();
  return (data?.roles ?? [])
    .filter(({ name = "" }) => name.toLowerCase().includes(wanted))
    .map(({ uid = "", name: label = "", description }) => ({
      value: uid,
      label,
      ...(description && { hint: description }),
    }));
}

function Revoke({ binding }: { readonly binding: RoleBindingJson }) {
  const remove = useChange(api.roleBindings.delete, [api.auth.validate]);
  const who = binding.identity?.name || texts.access.unnamed;
  const role = binding.role?.name ?? texts.access.unnamed;
  return (
    <FormDialog
      title={texts.access.revokeTitle(who, role)}
      submit={texts.access.revoke}
      isDangerous
      trigger={texts.access.revoke}
      className="button quiet small"
      onSubmit={async () => {
        await remove.mutateAsync({ uid: binding.uid ?? "" });
        toast(texts.access.revoked);
      }}
    >
      <p>{texts.access.revokeText}</p>
    </FormDialog>
  );
}
