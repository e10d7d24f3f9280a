import { Link } from "@tanstack/react-router";
import type { RoleBindingJson, RoleJson } from "@wharf/contract/messages";
import { useState } from "react";
import { useAccess } from "../../api/access.ts";
import { byResource } from "../../api/capabilities.ts";
import { api, useRead } from "../../api/client.ts";
import { parentOf, rootOf, screenLink } from "../../app/location.ts";
import { texts } from "../../texts/common.ts";
import { roleTexts } from "../../texts/roles.ts";
import { CREATED } from "../../ui/created-column.tsx";
import { Failed, Loading } from "../../ui/feedback.tsx";
import { GroupPath } from "../../ui/group-path.tsx";
import { Page } from "../../ui/page.tsx";
import { ResourceList } from "../../ui/resource-list.tsx";
import type { Column } from "../../ui/table.tsx";
import { Revoke } from "../access/revoke.tsx";
import { Who } from "../access/who.tsx";
import { DeleteRole, EditRole } from "./role-form.tsx";

/** One role: what it allows, and who has it in the organization. */
export function RoleDetails({ group, uid }: { readonly group: string; readonly uid: string }) {
  const { data: role, error } = useRead(api.roles.get, { uid });
  const { can } = useAccess();
  const within = { role: uid, uidp: { descendantsOf: rootOf(group) } };
  const used = useRead(api.roleBindings.list, { ...within, pageSize: 1 });
  const isCustom = uid.includes("/");
  const columns: readonly Column<RoleBindingJson>[] = [
    {
      header: texts.columns.who,
      cell: ({ identity }) => <Who identity={identity} group={group} />,
    },
    {
      header: texts.columns.from,
      cell: ({ uid: binding = "" }) => <GroupPath uid={parentOf(binding)} screen="access" />,
    },
    { ...CREATED, isExtra: true },
    { header: texts.columns.actions, cell: (binding) => <Revoke binding={binding} /> },
  ];
  return (
    <Page
      title={role?.name ?? roleTexts.one}
      group={group}
      command={{ cli: `wharf iam roles describe ${uid}`, rest: `/iam/v2beta1/roles/${uid}` }}
      actions={
        role !== undefined &&
        isCustom && (
          <>
            {can("roles.update", uid) && <EditRole role={role} />}
            {can("roles.delete", uid) && (
              <DeleteRole role={role} group={group} bindings={Number(used.data?.totalCount ?? 0)} />
            )}
          </>
        )
      }
    >
      {error !== null && <Failed error={error} />}
      {role?.description && <p className="lead">{role.description}</p>}
      <p className="soft">
        {isCustom ? (
          <>
            {roleTexts.customIn} <GroupPath uid={parentOf(uid)} screen="roles" />
          </>
        ) : (
          roleTexts.builtInText
        )}{" "}
        · <Link {...screenLink("roles", group)}>{roleTexts.all}</Link>
      </p>
      <section aria-labelledby="capabilities">
        <h2 id="capabilities">{roleTexts.count(role?.capabilities?.length ?? 0)}</h2>
        {role === undefined ? error === null && <Loading /> : <Capabilities role={role} />}
      </section>
      <section aria-labelledby="who">
        <h2 id="who">{roleTexts.who}</h2>
        <ResourceList
          label={roleTexts.who}
          method={api.roleBindings.list}
          request={within}
          rows={({ roleBindings }) => roleBindings}
          columns={columns}
          defaultSort="create_time desc"
          emptyTitle={roleTexts.nobody}
          emptyText={roleTexts.nobodyText}
        />
      </section>
    </Page>
  );
}

function Capabilities({ role: { capabilities = [] } }: { readonly role: RoleJson }) {
  const [text, setText] = useState("");
  const wanted = text.trim().toLowerCase();
  const groups = byResource(capabilities).filter(
    ({ resource, capabilities: some }) =>
      resource.includes(wanted) || some.some(({ name }) => name.includes(wanted)),
  );
  return (
    <>
      <input
        type="search"
        className="search"
        aria-label={roleTexts.searchCapabilities}
        placeholder={roleTexts.searchCapabilities}
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      {groups.length === 0 && <p className="soft">{roleTexts.noCapability}</p>}
      <dl className="capability-groups">
        {groups.map(({ resource, capabilities: some }) => (
          <div key={resource}>
            <dt>{resource}</dt>
            <dd>
              {some.map(({ key, name }) => (
                <code key={key} title={name}>
                  {name.slice(resource.length + 1) || name}
                </code>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </>
  );
}
