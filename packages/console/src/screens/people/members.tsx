import { Link } from "@tanstack/react-router";
import type { RoleBindingJson } from "@wharf/contract/messages";
import { api } from "../../api/client.ts";
import { parentOf, screenLink } from "../../app/location.ts";
import { texts } from "../../texts/common.ts";
import { peopleTexts } from "../../texts/people.ts";
import { Described } from "../../ui/described.tsx";
import { GroupPath } from "../../ui/group-path.tsx";
import { ResourceList } from "../../ui/resource-list.tsx";
import type { Column } from "../../ui/table.tsx";
import { Age } from "../../ui/time.tsx";
import { Revoke } from "../access/revoke.tsx";
import { nameOf } from "../access/who.tsx";

/** The people with a role at a group or below it. */
export function Members({ group }: { readonly group: string }) {
  return (
    <ResourceList
      label={peopleTexts.members}
      method={api.roleBindings.list}
      request={{ uidp: { descendantsOf: group }, identityKind: "IDENTITY_KIND_PERSON" }}
      rows={({ roleBindings }) => roleBindings}
      columns={bindingColumns(group, true)}
      defaultSort="create_time desc"
      emptyTitle={peopleTexts.noMembers}
      emptyText={peopleTexts.noMembersText}
    />
  );
}

/** The columns of a list of role bindings of people. */
export function bindingColumns(group: string, withWho: boolean): Column<RoleBindingJson>[] {
  const who: Column<RoleBindingJson>[] = [
    {
      header: texts.columns.who,
      cell: ({ identity }) => (
        <Described text={identity?.name ? identity.email : undefined}>
          <Link {...screenLink("people", group)} search={{ person: identity?.uid } as never}>
            {nameOf(identity)}
          </Link>
        </Described>
      ),
    },
  ];
  const lastSeen: Column<RoleBindingJson>[] = [
    {
      header: peopleTexts.columns.lastSeen,
      cell: ({ identity }) => <Age time={identity?.lastSeenTime} />,
    },
  ];
  return [
    ...(withWho ? who : []),
    {
      header: texts.columns.role,
      cell: ({ role }) =>
        role && (
          <Link {...screenLink("roles", group)} search={{ role: role.uid } as never}>
            {role.name}
          </Link>
        ),
    },
    {
      header: texts.columns.in,
      cell: ({ uid = "" }) => <GroupPath uid={parentOf(uid)} screen="people" />,
    },
    ...(withWho ? lastSeen : []),
    {
      header: peopleTexts.columns.since,
      sort: "create_time",
      cell: ({ createTime }) => <Age time={createTime} />,
      isExtra: true,
    },
    { header: texts.columns.actions, cell: (binding) => <Revoke binding={binding} /> },
  ];
}
