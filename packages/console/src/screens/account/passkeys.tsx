import { clientName } from "@wharf/contract/client-name";
import type { PersonCredentialsJson, PersonPasskeyJson } from "@wharf/contract/messages";
import { account, offerPasskey, useAccountChange } from "../../api/account.ts";
import { accountTexts } from "../../texts/account.ts";
import { TextField } from "../../ui/fields.tsx";
import { FormDialog } from "../../ui/form.tsx";
import { Age } from "../../ui/time.tsx";
import { canCreatePasskeys, createPasskey } from "./create-passkey.ts";
import { Entries, Entry } from "./entries.tsx";

const words = accountTexts.passkeys;

/** The passkeys of the account, and the forms that add, rename and remove them. */
export function Passkeys({ credentials }: { readonly credentials: PersonCredentialsJson }) {
  const { passkeys = [], passkeyOrigin = "" } = credentials;
  return (
    <section aria-labelledby="passkeys">
      <div className="page-head">
        <h2 id="passkeys">{words.title}</h2>
        {passkeyOrigin === window.location.origin && canCreatePasskeys() && <AddPasskey />}
      </div>
      <WhereTheyWork origin={passkeyOrigin} />
      {passkeys.length === 0 ? (
        <p className="soft">{words.none}</p>
      ) : (
        <Entries label={words.title}>
          {passkeys.map((passkey) => (
            <Entry
              key={passkey.id}
              icon="key"
              name={passkey.name}
              details={[
                <>
                  {words.added} <Age time={passkey.createTime} />
                </>,
                passkey.lastUsedTime ? (
                  <>
                    {words.lastUsed} <Age time={passkey.lastUsedTime} />
                  </>
                ) : (
                  words.neverUsed
                ),
              ]}
            >
              <RenamePasskey passkey={passkey} />
              <RemovePasskey passkey={passkey} />
            </Entry>
          ))}
        </Entries>
      )}
    </section>
  );
}

/** Browsers bind passkeys to a host name. */
function WhereTheyWork({ origin }: { readonly origin: string }) {
  if (origin === "") return <p className="soft">{words.needName}</p>;
  if (origin !== window.location.origin) {
    return (
      <p className="soft">
        {words.workAt} <a href={`${origin}/account`}>{origin}</a>
      </p>
    );
  }
  return canCreatePasskeys() ? null : <p className="soft">{words.unsupportedBrowser}</p>;
}

function AddPasskey() {
  const add = useAccountChange(account.addPasskey);
  return (
    <FormDialog
      trigger={words.add}
      className="button quiet small"
      title={words.add}
      submit={words.continue}
      onSubmit={async (text) => {
        const { options, challengeId } = await offerPasskey();
        const response = await createPasskey(options);
        await add.mutateAsync({ challengeId, response, name: text("name") });
        return { message: words.wasAdded };
      }}
    >
      <p>{words.addText}</p>
      <NameField value={clientName(navigator.userAgent)} />
    </FormDialog>
  );
}

function RenamePasskey({
  passkey: { id = "", name = "" },
}: {
  readonly passkey: PersonPasskeyJson;
}) {
  const rename = useAccountChange(account.renamePasskey);
  return (
    <FormDialog
      trigger={<Named action={words.rename} name={name} />}
      className="button quiet small"
      title={words.renameTitle}
      submit={words.rename}
      onSubmit={async (text) => {
        await rename.mutateAsync({ id, name: text("name") });
        return { message: words.renamed };
      }}
    >
      <NameField value={name} />
    </FormDialog>
  );
}

function RemovePasskey({
  passkey: { id = "", name = "" },
}: {
  readonly passkey: PersonPasskeyJson;
}) {
  const remove = useAccountChange(account.removePasskey);
  return (
    <FormDialog
      trigger={<Named action={words.remove} name={name} />}
      className="button quiet small"
      title={words.removeTitle(name)}
      submit={words.remove}
      isDangerous
      onSubmit={async () => {
        await remove.mutateAsync({ id });
        return { message: words.removed };
      }}
    >
      <p>{words.removeText}</p>
    </FormDialog>
  );
}

function NameField({ value }: { readonly value: string }) {
  return (
    <TextField name="name" label={words.name} hint={words.nameHint} value={value} isRequired />
  );
}

/** An action, with the name of its passkey for screen readers. */
function Named({ action, name }: { readonly action: string; readonly name: string }) {
  return (
    <>
      {action}
      <span className="unseen"> {name}</span>
    </>
  );
}
