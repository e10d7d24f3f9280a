import { Link } from "@tanstack/react-router";
import type { IdentityJson, RelationshipTypeJson } from "@wharf/contract/messages";
import { useState } from "react";
import { useAccess } from "../../api/access.ts";
import { api } from "../../api/client.ts";
import { useGroupNames } from "../../api/group-names.ts";
import { parentOf, screenLink, useListSearch, useScreenLocation } from "../../app/location.ts";
import { texts } from "../../texts/common.ts";
import { identityTexts } from "../../texts/identities.ts";
import { Described } from "../../ui/described.tsx";
import type { Filter } from "../../ui/filters.tsx";
import { Icon } from "../../ui/icons.tsx";
import { Page } from "../../ui/page.tsx";
import { ResourceList } from "../../ui/resource-list.tsx";
import { ShownOnce } from "../../ui/shown-once.tsx";
import type { Column } from "../../ui/table.tsx";
import { Withheld } from "../../ui/withheld.tsx";
import { LastSeen } from "./last-seen.tsx";
import { CreatePullToken } from "./pull-token.tsx";
import { expectedOf, kindOf } from "./trust.ts";

const FILTERS: readonly Filter[] = [
  { name: "prefix", label: identityTexts.namePrefix },
  { name: "kind", label: identityTexts.kind, options: identityTexts.kindFilter },
];

/** The identities of a group and below it. */
export function Screen() {
  const { uid } = useScreenLocation();
  const { can } = useAccess();
  const [search] = useListSearch();
  const [pullToken, setPullToken] = useState<string>();
  const create = can("identity.create", uid) ? (
    <Link {...screenLink("new-identity", uid)} className="button">
      <Icon name="plus" />
      {identityTexts.create}
    </Link>
  ) : (
    <Withheld label={identityTexts.create} capability="identity.create" />
  );
  const kind = Object.hasOwn(identityTexts.kindFilter, search.kind ?? "")
    ? (search.kind as RelationshipTypeJson)
    : undefined;
  return (
    <Page
      title={texts.screens.identities}
      group={uid}
      command={{
        cli: `wharf iam identities list --parent ${uid} --recursive`,
        rest: `/iam/v2beta1/identities?uidp.descendants_of=${uid}`,
      }}
      actions={
        <>
          {can("identity.create", uid) && can("role_bindings.create", uid) && (
            <CreatePullToken parent={uid} onCreated={setPullToken} />
          )}
          {create}
        </>
      }
    >
      {pullToken !== undefined && (
        <ShownOnce
          title={identityTexts.pullToken.shown}
          text={identityTexts.pullToken.shownText}
          secret={pullToken}
          done={identityTexts.pullToken.done}
          onDone={() => setPullToken(undefined)}
        />
      )}
      <ResourceList
        label={texts.screens.identities}
        method={api.identities.list}
        request={{
          uidp: { descendantsOf: uid },
          ...(search.prefix && { namePrefix: String(search.prefix) }),
          ...(kind && { relationshipType: kind }),
        }}
        filters={FILTERS}
        rows={({ identities }) => identities}
        columns={COLUMNS}
        emptyTitle={identityTexts.empty}
        emptyText={identityTexts.emptyText}
        emptyAction={create}
      />
    </Page>
  );
}

const COLUMNS: readonly Column<IdentityJson>[] = [
  {
    header: texts.columns.name,
    sort: "name",
    cell: ({ uid = "", name, description }) => (
      <Described text={description}>
        <Link {...screenLink("identity", uid)}>{name}</Link>
      </Described>
    ),
  },
  { header: texts.columns.kind, cell: (row) => identityTexts.kinds[kindOf(row)] },
  {
    header: texts.columns.subject,
    cell: (row) => <code>{expectedOf(row).subject?.text}</code>,
    isExtra: true,
  },
  { header: identityTexts.group, cell: (row) => <GroupOf identity={row} />, isExtra: true },
  { header: texts.columns.lastSeen, cell: (row) => <LastSeen identity={row} /> },
];

function GroupOf({ identity: { uid = "" } }: { readonly identity: IdentityJson }) {
  const group = parentOf(uid);
  const { nameOf } = useGroupNames([group]);
  return <Link {...screenLink("identities", group)}>{nameOf(group)}</Link>;
}
