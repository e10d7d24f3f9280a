import { useAccess } from "../../api/access.ts";
import { api, useChange } from "../../api/client.ts";
import { peopleTexts } from "../../texts/people.ts";
import { CheckField, SelectField, TextField } from "../../ui/fields.tsx";
import { FormDialog } from "../../ui/form.tsx";
import { Icon } from "../../ui/icons.tsx";
import { toast } from "../../ui/toast.tsx";
import { Withheld } from "../../ui/withheld.tsx";
import { RolePicker } from "../access/grant.tsx";

const DAY_SECONDS = 86_400;

/** Invites a person. The link is in this response only. */
export function CreateInvite({
  parent,
  onCreated,
}: {
  readonly parent: string;
  readonly onCreated: (link: string) => void;
}) {
  const create = useChange(api.groupInvites.create);
  const { can } = useAccess();
  const missing = ["group_invites.create", "role_bindings.create"].find((one) => !can(one, parent));
  if (missing !== undefined) return <Withheld label={peopleTexts.invite} capability={missing} />;
  return (
    <FormDialog
      title={peopleTexts.invite}
      submit={peopleTexts.invite}
      trigger={
        <>
          <Icon name="plus" />
          {peopleTexts.invite}
        </>
      }
      onSubmit={async (text) => {
        const { code = "" } = await create.mutateAsync({
          parent,
          groupInvite: {
            roleUid: text("role"),
            ttl: `${Number(text("days")) * DAY_SECONDS}s`,
            singleUse: text("single") === "on",
            ...(text("email") && { email: text("email") }),
          },
        });
        onCreated(`${window.location.origin}/oauth?invite=${encodeURIComponent(code)}`);
        toast(peopleTexts.invited);
      }}
    >
      <TextField name="email" label={peopleTexts.email} hint={peopleTexts.emailHint} />
      <RolePicker group={parent} />
      <SelectField
        name="days"
        label={peopleTexts.days}
        options={peopleTexts.dayOptions}
        value="7"
      />
      <CheckField name="single" label={peopleTexts.single} isChecked />
    </FormDialog>
  );
}
