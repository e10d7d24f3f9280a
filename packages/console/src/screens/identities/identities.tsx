import type { IdentityJson } from "@wharf/contract/messages";
import { useAccess } from "../../api/access.ts";
import { api, useChange } from "../../api/client.ts";
import { usePlace } from "../../app/place.ts";
import { texts } from "../../texts/common.ts";
import { identityTexts } from "../../texts/identities.ts";
import { Described } from "../../ui/described.tsx";
import { FormDialog } from "../../ui/form.tsx";
import { Page } from "../../ui/page.tsx";
import { ResourceList } from "../../ui/resource-list.tsx";
import type { Column } from "../../ui/table.tsx";
import { Age } from "../../ui/time.tsx";
import { toast } from "../../ui/toast.tsx";

/** The identities of a place. */
export function Screen() {
  const { uid } = usePlace();
  const { can } = useAccess();
  const columns: readonly Column<IdentityJson>[] = [
    {
      header: texts.columns.name,
      sort: "name",
      cell: ({ name, description }) => <Described text={description}>{name}</Described>,
    },
    { header: texts.columns.kind, cell: (row) => identityTexts.kinds[kindOf(row)] },
    {
      header: texts.columns.subject,
      cell: ({ claimMatch, staticKeys, awsIdentity }) => (
        <code>
          {claimMatch?.subject ??
            claimMatch?.subjectPattern ??
            staticKeys?.subject ??
            awsIdentity?.arn ??
            awsIdentity?.arnPattern}
        </code>
      ),
      isExtra: true,
    },
    {
      header: texts.columns.lastSeen,
      cell: ({ lastSeenTime, createTime }) =>
        lastSeenTime === createTime ? texts.never : <Age time={lastSeenTime} />,
    },
    {
      header: texts.columns.actions,
      cell: (row) => can("identity.delete", row.uid ?? "") && <DeleteIdentity identity={row} />,
    },
  ];
  return (
    <Page
      title={texts.screens.identities}
      place={uid}
      command={{
        cli: `wharf iam identities list --parent ${uid} --recursive`,
        rest: `/iam/v2beta1/identities?uidp.descendants_of=${uid}`,
      }}
    >
      <ResourceList
        label={texts.screens.identities}
        method={api.identities.list}
        request={{ uidp: { descendantsOf: uid } }}
        rows={({ identities }) => identities}
        columns={columns}
        emptyTitle={identityTexts.empty}
        emptyText={identityTexts.emptyText}
      />
    </Page>
  );
}

function kindOf(identity: IdentityJson): keyof typeof identityTexts.kinds {
  if (identity.claimMatch) return "claimMatch";
  if (identity.staticKeys) return "staticKeys";
  if (identity.awsIdentity) return "awsIdentity";
  return identity.servicePrincipal ? "servicePrincipal" : "person";
}

function DeleteIdentity({
  identity: { uid = "", name = "" },
}: {
  readonly identity: IdentityJson;
}) {
  const remove = useChange(api.identities.delete, [api.roleBindings.list]);
  return (
    <FormDialog
      title={identityTexts.deleteTitle(name)}
      submit={texts.delete}
      isDangerous
      trigger={texts.delete}
      className="button quiet small"
      onSubmit={async () => {
        await remove.mutateAsync({ uid });
        toast(identityTexts.deleted(name));
      }}
    >
      <p>{identityTexts.deleteText}</p>
    </FormDialog>
  );
}
