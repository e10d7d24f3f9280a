import { Link } from "@tanstack/react-router";
import type { IdentityProviderJson } from "@wharf/contract/messages";
import { useAccess } from "../../api/access.ts";
import { api } from "../../api/client.ts";
import { screenLink, useScreenLocation } from "../../app/location.ts";
import { texts } from "../../texts/common.ts";
import { providerTexts } from "../../texts/providers.ts";
import { CREATED } from "../../ui/created-column.tsx";
import { Described } from "../../ui/described.tsx";
import { Icon } from "../../ui/icons.tsx";
import { Page } from "../../ui/page.tsx";
import { ResourceList } from "../../ui/resource-list.tsx";
import type { Column } from "../../ui/table.tsx";
import { Withheld } from "../../ui/withheld.tsx";
import { RoleName } from "./role-name.tsx";

const COLUMNS: readonly Column<IdentityProviderJson>[] = [
  {
    header: texts.columns.name,
    sort: "name",
    cell: ({ uid = "", name, description }) => (
      <Described text={description}>
        <Link {...screenLink("provider", uid)}>{name}</Link>
      </Described>
    ),
  },
  { header: providerTexts.issuer, cell: ({ oidc }) => <code>{oidc?.issuer}</code> },
  {
    header: providerTexts.defaultRole,
    cell: ({ defaultRole = "" }) => <RoleName uid={defaultRole} />,
  },
  { ...CREATED, isExtra: true },
];

/** The identity providers of an organization. */
export function Screen() {
  const { uid } = useScreenLocation();
  const { can } = useAccess();
  const create = can("identity_providers.create", uid) ? (
    <Link {...screenLink("new-provider", uid)} className="button">
      <Icon name="plus" />
      {providerTexts.create}
    </Link>
  ) : (
    <Withheld label={providerTexts.create} capability="identity_providers.create" />
  );
  return (
    <Page
      title={texts.screens.providers}
      group={uid}
      command={{
        cli: `wharf iam identity-providers list --parent ${uid}`,
        rest: `/iam/v2beta1/identityProviders?uidp.descendants_of=${uid}`,
      }}
      actions={create}
    >
      <ResourceList
        label={texts.screens.providers}
        method={api.identityProviders.list}
        request={{ uidp: { descendantsOf: uid } }}
        rows={({ identityProviders }) => identityProviders}
        columns={COLUMNS}
        emptyTitle={providerTexts.empty}
        emptyText={providerTexts.emptyText}
        emptyAction={create}
      />
    </Page>
  );
}
