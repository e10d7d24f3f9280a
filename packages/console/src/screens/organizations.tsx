import { Link } from "@tanstack/react-router";
import type { GroupJson } from "@wharf/contract/messages";
import { api, useChange, useRead } from "../api/client.ts";
import { placeLink } from "../app/place.ts";
import { texts } from "../texts.ts";
import { Empty } from "../ui/feedback.tsx";
import { FormDialog, TextField } from "../ui/form.tsx";
import { Icon } from "../ui/icons.tsx";
import { Page } from "../ui/page.tsx";
import { type Column, Table, useListRequest } from "../ui/table.tsx";
import { Age } from "../ui/time.tsx";
import { toast } from "../ui/toast.tsx";

const COLUMNS: readonly Column<GroupJson>[] = [
  {
    header: texts.columns.name,
    sort: "name",
    cell: ({ uid = "", name }) => <Link {...placeLink("folders", uid)}>{name}</Link>,
  },
  { header: texts.columns.description, cell: ({ description }) => description, isExtra: true },
  {
    header: texts.columns.verified,
    cell: ({ verified }) => (verified ? texts.organizations.yes : texts.organizations.no),
  },
  {
    header: texts.columns.created,
    sort: "create_time",
    cell: ({ createTime }) => <Age time={createTime} />,
  },
];

/** All organizations that the caller can see. */
export function Organizations() {
  const request = useListRequest("name");
  const query = useRead(api.groups.list, { ...request, uidp: { inRoot: true } });
  const create = <CreateOrganization />;
  return (
    <Page
      title={texts.screens.organizations}
      command={{
        cli: "wharf iam organizations list",
        rest: "/iam/v2beta1/groups?uidp.in_root=true",
      }}
      actions={create}
    >
      <Table
        label={texts.screens.organizations}
        query={query}
        list={{ rows: query.data?.groups, total: Number(query.data?.totalCount ?? 0) }}
        columns={COLUMNS}
        keyOf={({ uid = "" }) => uid}
        defaultSort="name"
        empty={<Empty title={texts.organizations.empty}>{texts.organizations.emptyText}</Empty>}
      />
    </Page>
  );
}

function CreateOrganization() {
  const create = useChange(api.groups.create, [api.auth.validate]);
  return (
    <FormDialog
      title={texts.organizations.create}
      submit={texts.organizations.create}
      trigger={
        <>
          <Icon name="plus" />
          {texts.organizations.create}
        </>
      }
      onSubmit={async (text) => {
        const name = text("name");
        await create.mutateAsync({ group: { name, description: text("description") } });
        toast(texts.organizations.created(name));
      }}
    >
      <TextField
        name="name"
        label={texts.columns.name}
        hint={texts.organizations.nameHint}
        isRequired
      />
      <TextField name="description" label={texts.columns.description} />
    </FormDialog>
  );
}
