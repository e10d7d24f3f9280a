import { Link } from "@tanstack/react-router";
import type { GroupJson } from "@wharf/contract/messages";
import { useAccess } from "../../api/access.ts";
import { api, useChange, useRead } from "../../api/client.ts";
import { useGroupName } from "../../app/breadcrumbs.tsx";
import { parentOf, screenLink, useListSearch, useScreenLocation } from "../../app/location.ts";
import { texts } from "../../texts/common.ts";
import { folderTexts } from "../../texts/organizations.ts";
import { CREATED } from "../../ui/created-column.tsx";
import { FailedPage } from "../../ui/failed-page.tsx";
import { TextField } from "../../ui/fields.tsx";
import type { Filter } from "../../ui/filters.tsx";
import { CreateDialog, EditDialog } from "../../ui/form.tsx";
import { GroupPath } from "../../ui/group-path.tsx";
import { Icon } from "../../ui/icons.tsx";
import { Page } from "../../ui/page.tsx";
import { ResourceList } from "../../ui/resource-list.tsx";
import { shellQuoted } from "../../ui/shell-word.ts";
import type { Column } from "../../ui/table.tsx";
import { Withheld } from "../../ui/withheld.tsx";
import { Counts } from "./counts.tsx";
import { DeleteGroup } from "./delete-group.tsx";
import { GroupTree } from "./group-tree.tsx";

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
  CREATED,
];

/** The parent of a search result. */
const IN: Column<GroupJson> = {
  header: folderTexts.in,
  cell: ({ uid = "" }) => <GroupPath uid={parentOf(uid)} screen="folders" />,
};

const FILTERS: readonly Filter[] = [
  { name: "begins", label: folderTexts.search, hint: folderTexts.searchHint },
];

/** An organization or folder: the tree that it is in, the folders in it, and what can be done with it. */
export function Screen() {
  const { uid } = useScreenLocation();
  const [{ begins = "" }] = useListSearch();
  const group = useRead(api.groups.get, { uid });
  const name = useGroupName(uid);
  const { can } = useAccess();
  if (group.error !== null) return <FailedPage error={group.error} group={uid} />;
  const isSearch = begins !== "";
  const namePrefix = String(begins);
  const create = can("groups.create", uid) ? (
    <CreateFolder parent={uid} />
  ) : (
    <Withheld label={folderTexts.create} capability="groups.create" />
  );
  return (
    <Page
      title={name}
      group={uid}
      command={
        isSearch
          ? {
              cli: `wharf iam folders list ${uid} --name-prefix ${shellQuoted(namePrefix)}`,
              rest: `/iam/v2beta1/groups?uidp.descendants_of=${uid}&name_prefix=${encodeURIComponent(namePrefix)}`,
            }
          : {
              cli: `wharf iam folders list ${uid} --no-recursive`,
              rest: `/iam/v2beta1/groups?uidp.children_of=${uid}`,
            }
      }
      actions={
        <>
          {group.data !== undefined && can("groups.update", uid) && (
            <EditGroup key={`edit ${uid}`} group={group.data} />
          )}
          {group.data !== undefined && can("groups.delete", uid) && (
            // That of the folder above is another button: it must not have the focus after a deletion.
            <DeleteGroup key={`delete ${uid}`} group={group.data} />
          )}
          {create}
        </>
      }
    >
      {group.data?.description && <p className="lead">{group.data.description}</p>}
      <div className="beside-tree">
        <GroupTree current={uid} />
        <div className="stack">
          <Counts uid={uid} />
          <ResourceList
            label={texts.screens.folders}
            method={api.groups.list}
            request={
              isSearch
                ? { uidp: { descendantsOf: uid }, namePrefix }
                : { uidp: { childrenOf: uid } }
            }
            rows={({ groups }) => groups}
            columns={isSearch ? COLUMNS.toSpliced(1, 1, IN) : COLUMNS}
            filters={FILTERS}
            emptyTitle={folderTexts.empty}
            emptyText={folderTexts.emptyText}
            emptyAction={create}
          />
        </div>
      </div>
    </Page>
  );
}

function CreateFolder({ parent }: { readonly parent: string }) {
  const create = useChange(api.groups.create);
  return (
    <CreateDialog
      submit={folderTexts.create}
      onSubmit={async (text) => {
        const name = text("name");
        await create.mutateAsync({ parent, group: { name, description: text("description") } });
        return { message: folderTexts.created(name) };
      }}
    >
      <TextField name="name" label={texts.columns.name} hint={folderTexts.nameHint} isRequired />
      <TextField name="description" label={texts.columns.description} />
    </CreateDialog>
  );
}

function EditGroup({ group: { uid = "", name = "", description } }: { readonly group: GroupJson }) {
  const update = useChange(api.groups.update, [], ({ group }) => group);
  return (
    <EditDialog
      title={folderTexts.editTitle(name)}
      trigger={folderTexts.edit}
      onSubmit={async (text) => {
        await update.mutateAsync({
          group: { uid, name: text("name"), description: text("description") },
        });
        return { message: folderTexts.edited(text("name")) };
      }}
    >
      <TextField name="name" label={texts.columns.name} value={name} isRequired />
      <TextField name="description" label={texts.columns.description} value={description} />
    </EditDialog>
  );
}
