import { api, useChange } from "../../api/client.ts";
import { texts } from "../../texts/common.ts";
import { organizationTexts } from "../../texts/organizations.ts";
import { TextField } from "../../ui/fields.tsx";
import { CreateDialog } from "../../ui/form.tsx";

export function CreateOrganization() {
  const create = useChange(api.groups.create, [api.auth.validate]);
  return (
    <CreateDialog
      submit={organizationTexts.create}
      onSubmit={async (text) => {
        const name = text("name");
        await create.mutateAsync({ group: { name, description: text("description") } });
        return { message: organizationTexts.created(name) };
      }}
    >
      <TextField
        name="name"
        label={texts.columns.name}
        hint={organizationTexts.nameHint}
        isRequired
      />
      <TextField name="description" label={texts.columns.description} />
    </CreateDialog>
  );
}
