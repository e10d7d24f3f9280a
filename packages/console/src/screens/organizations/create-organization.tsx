import { api, useChange } from "../../api/client.ts";
import { texts } from "../../texts/common.ts";
import { organizationTexts } from "../../texts/organizations.ts";
import { TextField } from "../../ui/fields.tsx";
import { FormDialog } from "../../ui/form.tsx";
import { Icon } from "../../ui/icons.tsx";
import { toast } from "../../ui/toast.tsx";

export function CreateOrganization() {
  const create = useChange(api.groups.create, [api.auth.validate]);
  return (
    <FormDialog
      title={organizationTexts.create}
      submit={organizationTexts.create}
      trigger={
        <>
          <Icon name="plus" />
          {organizationTexts.create}
        </>
      }
      onSubmit={async (text) => {
        const name = text("name");
        await create.mutateAsync({ group: { name, description: text("description") } });
        toast(organizationTexts.created(name));
      }}
    >
      <TextField
        name="name"
        label={texts.columns.name}
        hint={organizationTexts.nameHint}
        isRequired
      />
      <TextField name="description" label={texts.columns.description} />
    </FormDialog>
  );
}
