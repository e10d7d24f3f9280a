import type { IdentityJson } from "@wharf/contract/messages";
import { useAccess } from "../api/access.ts";
import { api, useChange, useRead } from "../api/client.ts";
import { usePlace } from "../app/place.ts";
import { texts } from "../texts.ts";
import { Empty } from "../ui/feedback.tsx";
import { FormDialog } from "../ui/form.tsx";
import { Page } from "../ui/page.tsx";
import { type Column, Table, useListRequest } from "../ui/table.tsx";
import { Age } from "../ui/time.tsx";
import { toast } from "../ui/toast.tsx";

/** The identities of a place. */
export function Identities() {
  const { uid } = usePlace();
  const { can } = useAccess();
  const request = useListRequest("name");
  const query = useRead(api.identities.list, { ...request, uidp: { descendantsOf: uid } });
  const columns: readonly Column<IdentityJson>[] = [
    {
      header: texts.columns.name,
      sort: "name",
      cell: ({ name, description }) => (
        <>
          {name}
          {description && <small className="soft">{description}</small>}
        </>
      ),
    },
    { header: texts.columns.kind, cell: (row) => texts.identities.kinds[kindOf(row)] },
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
      <Table
        label={texts.screens.identities}
        query={query}
        list={{ rows: query.data?.identities, total: Number(query.data?.totalCount ?? 0) }}
        columns={columns}
        keyOf={(row) => row.uid ?? ""}
        defaultSort="name"
        empty={<Empty title={texts.identities.empty}>{texts.identities.emptyText}</Empty>}
      />
    </Page>
  );
}

function kindOf(identity: IdentityJson): keyof typeof texts.identities.kinds {
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
      title={texts.identities.deleteTitle(name)}
      submit={texts.delete}
      isDangerous
      trigger={texts.delete}
      className="button quiet small"
      onSubmit={async () => {
        await remove.mutateAsync({ uid });
        toast(texts.identities.deleted(name));
      }}
    >
      <p>{texts.identities.deleteText}</p>
    </FormDialog>
  );
}
