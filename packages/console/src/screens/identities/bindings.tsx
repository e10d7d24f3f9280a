import { Link } from "@tanstack/react-router";
import type { RoleBindingJson } from "@wharf/contract/messages";
import { api } from "../../api/client.ts";
import { useGroupNames } from "../../api/group-names.ts";
import { parentOf, screenLink } from "../../app/location.ts";
import { texts } from "../../texts/common.ts";
import { identityTexts } from "../../texts/identities.ts";
import { CREATED } from "../../ui/created-column.tsx";
import { ResourceList } from "../../ui/resource-list.tsx";
import type { Column } from "../../ui/table.tsx";

const COLUMNS: readonly Column<RoleBindingJson>[] = [
  { header: texts.columns.role, cell: ({ role, roleUid }) => role?.name ?? <code>{roleUid}</code> },
  { header: texts.columns.from, cell: ({ uid = "" }) => <GrantedAt group={parentOf(uid)} /> },
  CREATED,
];

/** The roles of an identity, and where they apply. */
export function Bindings({ identity }: { readonly identity: string }) {
  const group = parentOf(identity);
  const grant = group !== "" && (
    <Link {...screenLink("access", group)} className="button quiet">
      {identityTexts.grant}
    </Link>
  );
  return (
    <section aria-labelledby="bindings">
      <div className="section-head">
        <h2 id="bindings">{identityTexts.bindings}</h2>
        {grant}
      </div>
      <ResourceList
        label={identityTexts.bindings}
        method={api.roleBindings.list}
        request={{ identity }}
        rows={({ roleBindings }) => roleBindings}
        columns={COLUMNS}
        defaultSort="create_time desc"
        emptyTitle={identityTexts.noBindings}
        emptyText={identityTexts.noBindingsText}
      />
    </section>
  );
}

function GrantedAt({ group }: { readonly group: string }) {
  const { pathTo } = useGroupNames([group]);
  return <Link {...screenLink("access", group)}>{pathTo(group)}</Link>;
}
