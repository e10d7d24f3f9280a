import type { RepoJson } from "@wharf/contract/messages";
import { api } from "../../api/client.ts";
import { usePlace } from "../../app/place.ts";
import { texts } from "../../texts/common.ts";
import { repoTexts } from "../../texts/registry.ts";
import { Described } from "../../ui/described.tsx";
import { Page } from "../../ui/page.tsx";
import { ResourceList } from "../../ui/resource-list.tsx";
import type { Column } from "../../ui/table.tsx";
import { Age } from "../../ui/time.tsx";

const COLUMNS: readonly Column<RepoJson>[] = [
  {
    header: texts.columns.name,
    sort: "name",
    cell: ({ name, description }) => <Described text={description}>{name}</Described>,
  },
  {
    header: texts.columns.created,
    sort: "create_time",
    cell: ({ createTime }) => <Age time={createTime} />,
  },
  {
    header: texts.columns.updated,
    sort: "update_time",
    cell: ({ updateTime }) => <Age time={updateTime} />,
  },
];

/** The repositories of a place and the folders below it. */
export function Screen() {
  const { uid } = usePlace();
  return (
    <Page
      title={texts.screens.repos}
      place={uid}
      command={{
        cli: `wharf repos list --parent ${uid} --recursive`,
        rest: `/registry/v2beta1/repos?uidp.descendants_of=${uid}`,
      }}
    >
      <ResourceList
        label={texts.screens.repos}
        method={api.repos.list}
        request={{ uidp: { descendantsOf: uid } }}
        rows={({ repos }) => repos}
        columns={COLUMNS}
        emptyTitle={repoTexts.empty}
        emptyText={repoTexts.emptyText}
      />
    </Page>
  );
}
