import { Link } from "@tanstack/react-router";
import type { RoleJson } from "@wharf/contract/messages";
import type { CapabilityKey } from "../../api/capabilities.ts";
import { api, useChange } from "../../api/client.ts";
import { parentOf, screenLink } from "../../app/location.ts";
import { texts } from "../../texts/common.ts";
import { roleTexts } from "../../texts/roles.ts";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { TextField } from "../../ui/fields.tsx";
import { CreateDialog, EditDialog } from "../../ui/form.tsx";
import { CapabilityPicker, chosenCapabilities } from "./capability-picker.tsx";

const NONE: ReadonlySet<CapabilityKey> = new Set();

export function CreateRole({ parent }: { readonly parent: string }) {
  const create = useChange(api.roles.create);
  return (
    <CreateDialog
      submit={roleTexts.create}
      isWide
      onSubmit={async (text) => {
        const name = text("name");
        const capabilities = chosenCapabilities(text);
        const role = { name, description: text("description"), capabilities };
        await create.mutateAsync({ parent, role });
        return { message: roleTexts.created(name) };
      }}
    >
      <TextField name="name" label={texts.columns.name} hint={roleTexts.nameHint} isRequired />
      <TextField name="description" label={texts.columns.description} />
      <CapabilityPicker group={parent} initial={NONE} />
    </CreateDialog>
  );
}

export function EditRole({
  role: { uid = "", name = "", description, capabilities },
}: {
  readonly role: RoleJson;
}) {
  const update = useChange(api.roles.update, [api.auth.validate]);
  return (
    <EditDialog
      title={roleTexts.editTitle(name)}
      isWide
      trigger={roleTexts.edit}
      onSubmit={async (text) => {
        const changed = { name: text("name"), description: text("description") };
        const role = { uid, ...changed, capabilities: chosenCapabilities(text) };
        await update.mutateAsync({ role });
        return { message: roleTexts.edited(changed.name) };
      }}
    >
      <TextField name="name" label={texts.columns.name} value={name} isRequired />
      <TextField name="description" label={texts.columns.description} value={description} />
      <CapabilityPicker group={parentOf(uid)} initial={new Set(capabilities)} />
    </EditDialog>
  );
}

export function DeleteRole({
  role: { uid = "", name = "" },
  group,
  bindings,
}: {
  readonly role: RoleJson;
  readonly group: string;
  /** The number of visible role bindings that use it. */
  readonly bindings: number;
}) {
  const remove = useChange(api.roles.delete);
  return (
    <ConfirmDialog
      change={remove}
      request={{ uid }}
      title={roleTexts.deleteTitle(name)}
      message={roleTexts.deleted(name)}
      open={{ ...screenLink("roles", group), search: { tab: "custom" } }}
    >
      <p>{roleTexts.deleteText}</p>
      {bindings > 0 && (
        <p>
          <Link {...screenLink("roles", group)} search={{ role: uid } as never} hash="who">
            {roleTexts.usedBy(bindings)}
          </Link>
        </p>
      )}
    </ConfirmDialog>
  );
}
