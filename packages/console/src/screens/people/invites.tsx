import { Link } from "@tanstack/react-router";
import type { GroupInviteJson } from "@wharf/contract/messages";
import { useAccess } from "../../api/access.ts";
import { api, useChange } from "../../api/client.ts";
import { parentOf, screenLink } from "../../app/location.ts";
import { texts } from "../../texts/common.ts";
import { peopleTexts } from "../../texts/people.ts";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { GroupPath } from "../../ui/group-path.tsx";
import { ResourceList } from "../../ui/resource-list.tsx";
import type { Column } from "../../ui/table.tsx";
import { Age } from "../../ui/time.tsx";

/** The open invites of a group and the folders below it. */
export function Invites({ group }: { readonly group: string }) {
  const { can } = useAccess();
  const columns: readonly Column<GroupInviteJson>[] = [
    {
      header: peopleTexts.columns.for,
      cell: ({ email }) => email || <span className="soft">{peopleTexts.anyone}</span>,
    },
    {
      header: texts.columns.role,
      cell: ({ role, roleUid = "" }) =>
        role ? (
          <Link {...screenLink("roles", group)} search={{ role: roleUid } as never}>
            {role.name}
          </Link>
        ) : (
          peopleTexts.deletedRole
        ),
    },
    {
      header: texts.columns.in,
      cell: ({ uid = "" }) => <GroupPath uid={parentOf(uid)} screen="people" />,
    },
    {
      header: peopleTexts.columns.uses,
      cell: ({ singleUse }) => (singleUse ? peopleTexts.once : peopleTexts.often),
      isExtra: true,
    },
    {
      header: texts.columns.expires,
      cell: ({ expirationTime }) => <Expiry time={expirationTime} />,
    },
    {
      header: texts.columns.actions,
      cell: (invite) =>
        can("group_invites.delete", invite.uid ?? "") && <RevokeInvite invite={invite} />,
    },
  ];
  return (
    <ResourceList
      label={peopleTexts.invites}
      method={api.groupInvites.list}
      request={{ uidp: { descendantsOf: group } }}
      rows={({ groupInvites }) => groupInvites}
      columns={columns}
      defaultSort="create_time desc"
      emptyTitle={peopleTexts.noInvites}
      emptyText={peopleTexts.noInvitesText}
    />
  );
}

function Expiry({ time }: { readonly time: string | undefined }) {
  const isPast = time !== undefined && new Date(time).getTime() < Date.now();
  return (
    <>
      <Age time={time} />
      {isPast && <span className="badge bad">{peopleTexts.expired}</span>}
    </>
  );
}

function RevokeInvite({ invite: { uid = "", email } }: { readonly invite: GroupInviteJson }) {
  const remove = useChange(api.groupInvites.delete);
  return (
    <ConfirmDialog
      change={remove}
      request={{ uid }}
      title={peopleTexts.revokeTitle(email || peopleTexts.anyone)}
      submit={peopleTexts.revoke}
      isSmall
      message={peopleTexts.revoked}
    >
      <p>{peopleTexts.revokeText}</p>
    </ConfirmDialog>
  );
}
