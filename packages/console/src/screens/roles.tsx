import type { RoleJson } from "@wharf/contract/messages";
import { api, useRead } from "../api/client.ts";
import { usePlace } from "../app/place.ts";
import { texts } from "../texts.ts";
import { Empty } from "../ui/feedback.tsx";
import { Page } from "../ui/page.tsx";
import { type Column, Table, useListRequest } from "../ui/table.tsx";

const COLUMNS: readonly Column<RoleJson>[] = [
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
    header: texts.columns.kind,
    cell: ({ uid = "" }) => (uid.includes("/") ? texts.roles.custom : texts.roles.builtIn),
  },
  {
    header: texts.columns.capabilities,
    cell: ({ capabilities = [] }) => (
      <details>
        <summary>{texts.roles.count(capabilities.length)}</summary>
        <ul className="capabilities">
          {capabilities.map((one) => (
            <li key={one}>
              <code>{one}</code>
            </li>
          ))}
        </ul>
      </details>
    ),
  },
];

/** The roles that can be granted at a place: built-in ones, and those of its groups. */
export function Roles() {
  const { uid } = usePlace();
  const request = useListRequest("name");
  const query = useRead(api.roles.list, request);
  return (
    <Page
      title={texts.screens.roles}
      place={uid}
      command={{ cli: "wharf iam roles list", rest: "/iam/v2beta1/roles" }}
    >
      <Table
        label={texts.screens.roles}
        query={query}
        list={{ rows: query.data?.roles, total: Number(query.data?.totalCount ?? 0) }}
        columns={COLUMNS}
        keyOf={(row) => row.uid ?? ""}
        defaultSort="name"
        empty={<Empty title={texts.roles.empty}>{texts.roles.emptyText}</Empty>}
      />
    </Page>
  );
}
