import { Link } from "@tanstack/react-router";
import type { RegistrySettingsJson } from "@wharf/contract/messages";
import { useState } from "react";
import { useAccess } from "../../api/access.ts";
import { api, useChange, useRead } from "../../api/client.ts";
import { texts } from "../../texts/common.ts";
import { registriesTexts, settingsTexts } from "../../texts/registry.ts";
import { Failed, Loading } from "../../ui/feedback.tsx";
import { CheckField } from "../../ui/fields.tsx";
import { toast } from "../../ui/toast.tsx";

/** What a group configures for all repositories here and below. */
export function Settings({ group }: { readonly group: string }) {
  const { data, error } = useRead(api.registrySettings.get, { groupUid: group });
  if (error !== null) return <Failed error={error} />;
  if (data === undefined) return <Loading />;
  return <Form key={JSON.stringify(data)} group={group} settings={data} />;
}

function Form({
  group,
  settings,
}: {
  readonly group: string;
  readonly settings: RegistrySettingsJson;
}) {
  const { can } = useAccess();
  const update = useChange(api.registrySettings.update);
  const [error, setError] = useState<Error>();
  const isAllowed = can("registry.settings.update", group);
  const save = async (form: HTMLFormElement) => {
    const data = new FormData(form);
    setError(undefined);
    try {
      await update.mutateAsync({
        registrySettings: {
          groupUid: group,
          uniqueTags: data.has("uniqueTags"),
          eolGracePeriod: data.has("eolGracePeriod"),
        },
        updateMask: "uniqueTags,eolGracePeriod",
      });
      toast(settingsTexts.saved);
    } catch (thrown) {
      setError(thrown as Error);
    }
  };
  return (
    <form
      className="sheet"
      aria-label={settingsTexts.title}
      onSubmit={(event) => {
        event.preventDefault();
        save(event.currentTarget);
      }}
    >
      <p className="soft">{settingsTexts.appliesBelow}</p>
      <fieldset disabled={!isAllowed}>
        <legend className="unseen">{settingsTexts.title}</legend>
        <CheckField
          name="uniqueTags"
          label={settingsTexts.uniqueTags}
          hint={settingsTexts.uniqueTagsHint}
          isChecked={settings.uniqueTags ?? false}
        />
        <CheckField
          name="eolGracePeriod"
          label={settingsTexts.eolGracePeriod}
          hint={settingsTexts.eolGracePeriodHint}
          isChecked={settings.eolGracePeriod ?? false}
        />
      </fieldset>
      {!isAllowed && <p>{settingsTexts.denied}</p>}
      {error !== undefined && <Failed error={error} />}
      <div className="row-actions">
        <button type="submit" className="button" disabled={!isAllowed || update.isPending}>
          {texts.save}
        </button>
        <Link to="/registries" className="button quiet">
          {registriesTexts.link}
        </Link>
      </div>
    </form>
  );
}
