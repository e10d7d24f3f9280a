import { Link } from "@tanstack/react-router";
import type { AccessGrantJson } from "@wharf/contract/messages";
import { byResource } from "../../api/capabilities.ts";
import { screenLink } from "../../app/location.ts";
import { accessTexts } from "../../texts/access.ts";
import { GroupPath } from "../../ui/group-path.tsx";
import type { Column } from "../../ui/table.tsx";
import { Revoke } from "./revoke.tsx";
import { Who } from "./who.tsx";

/** The origin of a grant: a binding here or above, or a group at an identity provider. */
export function Origin({
  grant: { kind, group: grantedAt, inherited, externalGroupId, obstacle },
  group,
}: {
  readonly grant: AccessGrantJson;
  readonly group: string;
}) {
  const at = grantedAt?.uid ?? "";
  return (
    <>
      {kind === "ACCESS_GRANT_KIND_OPERATOR" && accessTexts.operator}
      {kind === "ACCESS_GRANT_KIND_GROUP_MAPPING" && (
        <>
          {accessTexts.mapping} <code>{externalGroupId}</code>,{" "}
        </>
      )}
      {kind !== "ACCESS_GRANT_KIND_OPERATOR" &&
        (at === group ? (
          accessTexts.here
        ) : (
          <>
            {inherited ? accessTexts.inherited : accessTexts.at}{" "}
            <GroupPath uid={at} screen="access" />
          </>
        ))}
      {obstacle && obstacle !== "ACCESS_OBSTACLE_UNSPECIFIED" && (
        <span className="badge bad">{accessTexts.obstacles[obstacle] ?? obstacle}</span>
      )}
    </>
  );
}

/** The columns of a list of grants. */
export function grantColumns(group: string, withWho: boolean): Column<AccessGrantJson>[] {
  const who: Column<AccessGrantJson> = {
    header: accessTexts.columns.who,
    cell: ({ identity, externalGroupId }) =>
      identity === undefined && externalGroupId ? (
        <>
          <code>{externalGroupId}</code>
          <small className="soft">{accessTexts.external}</small>
        </>
      ) : (
        <Who identity={identity} group={group} />
      ),
  };
  return [
    ...(withWho ? [who] : []),
    {
      header: accessTexts.columns.role,
      cell: ({ role }) =>
        role?.uid ? (
          <Link {...screenLink("roles", group)} search={{ role: role.uid } as never}>
            {role.name}
          </Link>
        ) : (
          accessTexts.unnamed
        ),
    },
    {
      header: accessTexts.columns.why,
      cell: (grant) => <Origin grant={grant} group={group} />,
    },
    {
      header: accessTexts.columns.can,
      cell: ({ capabilities = [] }) => <Capabilities keys={capabilities} />,
      isExtra: true,
    },
    {
      header: accessTexts.columns.actions,
      cell: (grant) =>
        grant.kind === "ACCESS_GRANT_KIND_ROLE_BINDING" && <Revoke binding={grant} />,
    },
  ];
}

function Capabilities({ keys }: { readonly keys: NonNullable<AccessGrantJson["capabilities"]> }) {
  if (keys.length === 0) return accessTexts.unreadable;
  return (
    <details>
      <summary>{accessTexts.count(keys.length)}</summary>
      <ul className="capabilities">
        {byResource(keys).flatMap(({ capabilities }) =>
          capabilities.map(({ key, name }) => (
            <li key={key}>
              <code>{name}</code>
            </li>
          )),
        )}
      </ul>
    </details>
  );
}
