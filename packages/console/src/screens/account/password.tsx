import type { PersonCredentialsJson } from "@wharf/contract/messages";
import { useRef } from "react";
import { account, useAccountChange } from "../../api/account.ts";
import { accountTexts } from "../../texts/account.ts";
import { TextField } from "../../ui/fields.tsx";
import { FormDialog } from "../../ui/form.tsx";
import { Entries, Entry } from "./entries.tsx";

const words = accountTexts.password;

/** Whether the account has a password, and the form that changes it. */
export function Password({
  credentials: { username, hasPassword = false },
}: {
  readonly credentials: PersonCredentialsJson;
}) {
  const change = useAccountChange(account.changePassword);
  const action = hasPassword ? words.change : words.set;
  const owner = useRef<HTMLInputElement>(null);
  const submit = async () => {
    // Not the trimmed texts: spaces are part of a password.
    const data = new FormData(owner.current?.form ?? undefined);
    const text = (name: string) => String(data.get(name) ?? "");
    await change.mutateAsync({
      current: text("current"),
      password: text("password"),
      again: text("again"),
    });
    return { message: words.changed };
  };
  return (
    <section aria-labelledby="password">
      <h2 id="password">{words.title}</h2>
      <Entries label={words.title}>
        <Entry
          icon="lock"
          name={hasPassword ? words.isSet : words.isNotSet}
          details={[hasPassword ? words.isSetText : words.isNotSetText]}
        >
          <FormDialog
            trigger={action}
            className="button quiet small"
            title={action}
            submit={action}
            onSubmit={submit}
          >
            <p>{words.text}</p>
            {/* For the password manager of the browser. */}
            <input
              ref={owner}
              type="text"
              name="username"
              autoComplete="username"
              value={username}
              readOnly
              hidden
            />
            {hasPassword && (
              <PasswordField name="current" label={words.current} autoComplete="current-password" />
            )}
            <PasswordField
              name="password"
              label={words.new}
              hint={words.hint}
              autoComplete="new-password"
            />
            <PasswordField name="again" label={words.again} autoComplete="new-password" />
          </FormDialog>
        </Entry>
      </Entries>
    </section>
  );
}

function PasswordField(given: {
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  readonly autoComplete: string;
}) {
  return <TextField {...given} type="password" isRequired />;
}
