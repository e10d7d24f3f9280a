import type { ExternalGroupRoleMappingJson, IdentityProviderJson } from "@wharf/contract/messages";
import { useAccess } from "../../api/access.ts";
import { api, useChange } from "../../api/client.ts";
import { texts } from "../../texts/common.ts";
import { providerTexts } from "../../texts/providers.ts";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { CREATED } from "../../ui/created-column.tsx";
import { TextField } from "../../ui/fields.tsx";
import { CreateDialog } from "../../ui/form.tsx";
import { Picker } from "../../ui/picker.tsx";
import { useRoleChoices } from "../../ui/pickers.tsx";
import { ResourceList } from "../../ui/resource-list.tsx";
import type { Column } from "../../ui/table.tsx";
import { Withheld } from "../../ui/withheld.tsx";
import { RoleName } from "./role-name.tsx";

const words = providerTexts.mappings;

/** The roles of the provider's groups. */
export function Mappings({ provider: { uid = "" } }: { readonly provider: IdentityProviderJson }) {
  const { can } = useAccess();
  const columns: readonly Column<ExternalGroupRoleMappingJson>[] = [
    { header: words.group, cell: ({ externalGroupId }) => <code>{externalGroupId}</code> },
    { header: words.role, cell: ({ roleUid = "" }) => <RoleName uid={roleUid} /> },
    { ...CREATED, isExtra: true },
    {
      header: texts.columns.actions,
      cell: (mapping) =>
        can("identity_providers.delete", uid) && <DeleteMapping mapping={mapping} />,
    },
  ];
  const create =
    can("identity_providers.create", uid) && can("role_bindings.create", uid) ? (
      <CreateMapping provider={uid} />
    ) : (
      <Withheld label={words.create} capability="identity_providers.create" />
    );
  return (
    <>
      <div className="section-head">
        <p className="lead">{words.lead}</p>
        {create}
      </div>
      <ResourceList
        label={providerTexts.tabs.mappings}
        method={api.externalGroupRoleMappings.list}
        request={{ identityProviderUid: uid }}
        rows={({ externalGroupRoleMappings }) => externalGroupRoleMappings}
        columns={columns}
        defaultSort="create_time desc"
        emptyTitle={words.empty}
        emptyText={words.emptyText}
      />
    </>
  );
}

function CreateMapping({ provider }: { readonly provider: string }) {
  const create = useChange(api.externalGroupRoleMappings.create);
  return (
    <CreateDialog
      submit={words.create}
      onSubmit={async (text) => {
        await create.mutateAsync({
          parent: provider,
          externalGroupRoleMapping: {
            externalGroupId: text("externalGroupId"),
            roleUid: text("roleUid"),
          },
        });
        return { message: words.created };
      }}
    >
      <TextField name="externalGroupId" label={words.group} hint={words.groupHint} isRequired />
      <Picker label={words.role} name="roleUid" useChoices={useRoleChoices} />
    </CreateDialog>
  );
}

function DeleteMapping({
  mapping: { uid = "", externalGroupId = "" },
}: {
  readonly mapping: ExternalGroupRoleMappingJson;
}) {
  const remove = useChange(api.externalGroupRoleMappings.delete);
  return (
    <ConfirmDialog
      change={remove}
      request={{ uid }}
      title={words.deleteTitle(externalGroupId)}
      submit={words.delete}
      isSmall
      message={words.deleted}
    >
      <p>{words.deleteText}</p>
    </ConfirmDialog>
  );
}
