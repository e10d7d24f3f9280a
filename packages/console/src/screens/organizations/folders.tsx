import { Link, useNavigate } from "@tanstack/react-router";
import type { GroupJson } from "@wharf/contract/messages";
import { useAccess } from "../../api/access.ts";
import { api, useChange, useRead } from "../../api/client.ts";
import { useGroupName } from "../../app/breadcrumbs.tsx";
import { screenLink, usePlace } from "../../app/place.ts";
import { texts } from "../../texts/common.ts";
import { folderTexts } from "../../texts/organizations.ts";
import { Failed } from "../../ui/feedback.tsx";
import { FormDialog, TextField } from "../../ui/form.tsx";
import { Icon } from "../../ui/icons.tsx";
import { Page } from "../../ui/page.tsx";
import { ResourceList } from "../../ui/resource-list.tsx";
import type { Column } from "../../ui/table.tsx";
import { Age } from "../../ui/time.tsx";
import { toast } from "../../ui/toast.tsx";

const COLUMNS: readonly Column<GroupJson>[] = [
  {
    header: texts.columns.name,
    sort: "name",
    cell: ({ uid = "", name }) => (
      <Link {...screenLink("folders", uid)} className="with-icon">
        <Icon name="folder" />
        {name}
      </Link>
    ),
  },
  { header: texts.columns.description, cell: ({ description }) => description, isExtra: true },
  {
    header: texts.columns.created,
    sort: "create_time",
    cell: ({ createTime }) => <Age time={createTime} />,
  },
];

/** An organization or folder: the folders in it, and what can be done with it. */
export function Screen() {
  const { uid } = usePlace();
  const group = useRead(api.groups.get, { uid });
  const name = useGroupName(uid);
  const { can } = useAccess();
  if (group.error !== null) {
    return (
      <Page title={texts.notFound.title} place={uid}>
        <Failed error={group.error} />
      </Page>
    );
  }
  const create = can("groups.create", uid) && <CreateFolder parent={uid} />;
  return (
    <Page
      title={name}
      place={uid}
      command={{
        cli: `wharf iam folders list --parent ${uid}`,
        rest: `/iam/v2beta1/groups?uidp.children_of=${uid}`,
      }}
      actions={
        <>
          {group.data !== undefined && can("groups.update", uid) && (
            <EditGroup group={group.data} />
          )}
          {group.data !== undefined && can("groups.delete", uid) && (
            <DeleteGroup group={group.data} />
          )}
          {create}
        </>
      }
    >
      {group.data?.description && <p className="lead">{group.data.description}</p>}
      <ResourceList
        label={texts.screens.folders}
        method={api.groups.list}
        request={{ uidp: { childrenOf: uid } }}
        rows={({ groups }) => groups}
        columns={COLUMNS}
        emptyTitle={folderTexts.empty}
        emptyText={folderTexts.emptyText}
      />
    </Page>
  );
}

function CreateFolder({ parent }: { readonly parent: string }) {
  const create = useChange(api.groups.create);
  return (
    <FormDialog
      title={folderTexts.create}
      submit={folderTexts.create}
      trigger={
        <>
          <Icon name="plus" />
          {folderTexts.create}
        </>
      }
      onSubmit={async (text) => {
        const name = text("name");
        await create.mutateAsync({ parent, group: { name, description: text("description") } });
        toast(folderTexts.created(name));
      }}
    >
      <TextField name="name" label={texts.columns.name} isRequired />
      <TextField name="description" label={texts.columns.description} />
    </FormDialog>
  );
}

function EditGroup({ group: { uid = "", name = "", description } }: { readonly group: GroupJson }) {
  const update = useChange(api.groups.update);
  return (
    <FormDialog
      title={folderTexts.editTitle(name)}
      submit={texts.save}
      trigger={folderTexts.edit}
      className="button quiet"
      onSubmit={async (text) => {
        await update.mutateAsync({
          group: { uid, name: text("name"), description: text("description") },
        });
        toast(folderTexts.edited(text("name")));
      }}
    >
      <TextField name="name" label={texts.columns.name} value={name} isRequired />
      <TextField name="description" label={texts.columns.description} value={description} />
    </FormDialog>
  );
}

function DeleteGroup({ group: { uid = "", name = "" } }: { readonly group: GroupJson }) {
  const remove = useChange(api.groups.delete);
  const navigate = useNavigate();
  return (
    <FormDialog
      title={folderTexts.deleteTitle(name)}
      submit={texts.delete}
      isDangerous
      trigger={texts.delete}
      className="button quiet"
      onSubmit={async () => {
        await remove.mutateAsync({ uid });
        toast(folderTexts.deleted(name));
        const parent = uid.split("/").slice(0, -1).join("/");
        navigate(parent === "" ? { to: "/organizations" } : screenLink("folders", parent));
      }}
    >
      <p>{folderTexts.deleteText}</p>
    </FormDialog>
  );
}
