import { Link, useNavigate } from "@tanstack/react-router";
import type { RoleJson } from "@wharf/contract/messages";
import type { CapabilityKey } from "../../api/capabilities.ts";
import { api, useChange } from "../../api/client.ts";
import { parentOf, screenLink } from "../../app/place.ts";
import { texts } from "../../texts/common.ts";
import { roleTexts } from "../../texts/roles.ts";
import { TextField } from "../../ui/fields.tsx";
import { DELETION, FormDialog } from "../../ui/form.tsx";
import { Icon } from "../../ui/icons.tsx";
import { toast } from "../../ui/toast.tsx";
import { CapabilityPicker, chosenCapabilities } from "./capability-picker.tsx";

const NONE: ReadonlySet<CapabilityKey> = new Set();

export function CreateRole({ parent }: { readonly parent: string }) {
  const create = useChange(api.roles.create);
  return (
    <FormDialog
      title={roleTexts.create}
      submit={roleTexts.create}
      isWide
      trigger={
        <>
          <Icon name="plus" />
          {roleTexts.create}
        </>
      }
      onSubmit={async (text) => {
        const name = text("name");
        const capabilities = chosenCapabilities(text);
        const role = { name, description: text("description"), capabilities };
        await create.mutateAsync({ parent, role });
        toast(roleTexts.created(name));
      }}
    >
      <TextField name="name" label={texts.columns.name} hint={roleTexts.nameHint} isRequired />
      <TextField name="description" label={texts.columns.description} />
      <CapabilityPicker group={parent} initial={NONE} />
    </FormDialog>
  );
}

export function EditRole({
  role: { uid = "", name = "", description, capabilities },
}: {
  readonly role: RoleJson;
}) {
  const update = useChange(api.roles.update, [api.auth.validate]);
  return (
    <FormDialog
      title={roleTexts.editTitle(name)}
      submit={texts.save}
      isWide
      trigger={roleTexts.edit}
      className="button quiet"
      onSubmit={async (text) => {
        const changed = { name: text("name"), description: text("description") };
        const role = { uid, ...changed, capabilities: chosenCapabilities(text) };
        await update.mutateAsync({ role });
        toast(roleTexts.edited(changed.name));
      }}
    >
      <TextField name="name" label={texts.columns.name} value={name} isRequired />
      <TextField name="description" label={texts.columns.description} value={description} />
      <CapabilityPicker group={parentOf(uid)} initial={new Set(capabilities)} />
    </FormDialog>
  );
}

export function DeleteRole({
  role: { uid = "", name = "" },
  place,
  bindings,
}: {
  readonly role: RoleJson;
  readonly place: string;
  /** How many role bindings use it, as far as the caller may see them. */
  readonly bindings: number;
}) {
  const remove = useChange(api.roles.delete);
  const navigate = useNavigate();
  return (
    <FormDialog
      title={roleTexts.deleteTitle(name)}
      {...DELETION}
      className="button quiet"
      onSubmit={async () => {
        await remove.mutateAsync({ uid });
        toast(roleTexts.deleted(name));
        navigate({ ...screenLink("roles", place), search: { tab: "custom" } } as never);
      }}
    >
      <p>{roleTexts.deleteText}</p>
      {bindings > 0 && (
        <p>
          <Link {...screenLink("roles", place)} search={{ role: uid } as never} hash="who">
            {roleTexts.usedBy(bindings)}
          </Link>
        </p>
      )}
    </FormDialog>
  );
}
