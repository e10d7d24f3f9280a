import { api, useChange, useRead } from "../../api/client.ts";
import { useInstallation } from "../../api/installation.ts";
import { identityTexts } from "../../texts/identities.ts";
import { TextField } from "../../ui/fields.tsx";
import { FormDialog } from "../../ui/form.tsx";
import { isWholeNumber } from "../../ui/numbers.ts";
import { Picker } from "../../ui/picker.tsx";
import { useRoleChoices } from "../../ui/pickers.tsx";
import { bindRole, checkRole } from "./bind-role.ts";
import { generatePullTokenKey } from "./pull-token-key.ts";
import { PULL_TOKEN_ISSUER } from "./trust.ts";

const words = identityTexts.pullToken;

const USUAL_ROLE = "registry.pull";
const DAY_MS = 86_400_000;

/** Creates a password for pulling, and passes the command that signs Docker in. */
export function CreatePullToken({
  parent,
  onCreated,
}: {
  readonly parent: string;
  readonly onCreated: (command: string) => void;
}) {
  const create = useChange(api.identities.create, [api.roleBindings.list]);
  const { audience, registry } = useInstallation();
  const { data } = useRead(api.roles.list, { name: USUAL_ROLE, pageSize: 1 });
  const usual = data?.roles?.[0]?.uid;
  return (
    <FormDialog
      submit={words.create}
      className="button quiet"
      onSubmit={async (text) => {
        // Only pages of https and of this machine have the keys of browsers.
        if (crypto.subtle === undefined) throw new Error(words.insecure);
        await checkRole(parent, text("roleUid"));
        // A margin for the clock: the server accepts a year at most.
        const expires = new Date(Date.now() + Number(text("days")) * DAY_MS - 60_000);
        const { subject, jwks, signToken } = await generatePullTokenKey();
        const { uid = "" } = await create.mutateAsync({
          parent,
          identity: {
            name: text("name"),
            staticKeys: {
              issuer: PULL_TOKEN_ISSUER,
              subject,
              issuerKeys: jwks,
              audiences: [audience],
              expirationTime: expires.toISOString(),
            },
          },
        });
        await bindRole(parent, uid, text("roleUid"));
        // Some tools reject a slash in a username.
        const username = uid.replaceAll("/", "_");
        const password = await signToken(audience, expires);
        onCreated(`echo ${password} | docker login ${registry} -u ${username} --password-stdin`);
      }}
    >
      <p>{words.text}</p>
      <TextField name="name" label={identityTexts.name} hint={identityTexts.nameHint} isRequired />
      <TextField
        name="days"
        label={words.days}
        hint={words.daysHint}
        value="30"
        isRequired
        check={(days) => (isWholeNumber(days, 1, 365) ? undefined : words.daysProblem)}
      />
      {/* A picker takes its first choice once: the usual role may arrive after the dialog was opened. */}
      <Picker
        key={usual}
        label={identityTexts.roleName}
        name="roleUid"
        useChoices={useRoleChoices}
        initial={usual ? { value: usual, label: USUAL_ROLE } : null}
      />
    </FormDialog>
  );
}
