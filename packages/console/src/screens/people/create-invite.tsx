import { useAccess } from "../../api/access.ts";
import { api, useChange } from "../../api/client.ts";
import { peopleTexts } from "../../texts/people.ts";
import { CheckField, SelectField, TextField } from "../../ui/fields.tsx";
import { CreateDialog } from "../../ui/form.tsx";
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
    <CreateDialog
      submit={peopleTexts.invite}
      onSubmit={async (text) => {
        const { code = "" } = await create.mutateAsync({
          parent,
          groupInvite: {
            roleUid: text("roleUid"),
            ttl: `${Number(text("days")) * DAY_SECONDS}s`,
            singleUse: text("single") === "on",
            ...(text("email") && { email: text("email") }),
          },
        });
        onCreated(`${window.location.origin}/oauth?invite=${encodeURIComponent(code)}`);
        return { message: peopleTexts.invited };
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
    </CreateDialog>
  );
}
