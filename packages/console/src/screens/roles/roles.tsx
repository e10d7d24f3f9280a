import type { RoleJson } from "@wharf/contract/messages";
import { api } from "../../api/client.ts";
import { usePlace } from "../../app/place.ts";
import { texts } from "../../texts/common.ts";
import { roleTexts } from "../../texts/roles.ts";
import { Described } from "../../ui/described.tsx";
import { Page } from "../../ui/page.tsx";
import { ResourceList } from "../../ui/resource-list.tsx";
import type { Column } from "../../ui/table.tsx";

const COLUMNS: readonly Column<RoleJson>[] = [
  {
    header: texts.columns.name,
    sort: "name",
    cell: ({ name, description }) => <Described text={description}>{name}</Described>,
  },
  {
    header: texts.columns.kind,
    cell: ({ uid = "" }) => (uid.includes("/") ? roleTexts.custom : roleTexts.builtIn),
  },
  {
    header: texts.columns.capabilities,
    cell: ({ capabilities = [] }) => (
      <details>
        <summary>{roleTexts.count(capabilities.length)}</summary>
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
export function Screen() {
  const { uid } = usePlace();
  return (
    <Page
      title={texts.screens.roles}
      place={uid}
      command={{ cli: "wharf iam roles list", rest: "/iam/v2beta1/roles" }}
    >
      <ResourceList
        label={texts.screens.roles}
        method={api.roles.list}
        request={{}}
        rows={({ roles }) => roles}
        columns={COLUMNS}
        emptyTitle={roleTexts.empty}
        emptyText={roleTexts.emptyText}
      />
    </Page>
  );
}
