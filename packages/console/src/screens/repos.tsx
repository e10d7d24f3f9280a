import type { RepoJson } from "@wharf/contract/messages";
import { api, useRead } from "../api/client.ts";
import { usePlace } from "../app/place.ts";
import { texts } from "../texts.ts";
import { Empty } from "../ui/feedback.tsx";
import { Page } from "../ui/page.tsx";
import { type Column, Table, useListRequest } from "../ui/table.tsx";
import { Age } from "../ui/time.tsx";

const COLUMNS: readonly Column<RepoJson>[] = [
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
export function Repos() {
  const { uid } = usePlace();
  const request = useListRequest("name");
  const query = useRead(api.repos.list, { ...request, uidp: { descendantsOf: uid } });
  return (
    <Page
      title={texts.screens.repos}
      place={uid}
      command={{
        cli: `wharf repos list --parent ${uid} --recursive`,
        rest: `/registry/v2beta1/repos?uidp.descendants_of=${uid}`,
      }}
    >
      <Table
        label={texts.screens.repos}
        query={query}
        list={{ rows: query.data?.repos, total: Number(query.data?.totalCount ?? 0) }}
        columns={COLUMNS}
        keyOf={(row) => row.uid ?? ""}
        defaultSort="name"
        empty={<Empty title={texts.repos.empty}>{texts.repos.emptyText}</Empty>}
      />
    </Page>
  );
}
