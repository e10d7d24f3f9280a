import { Link } from "@tanstack/react-router";
import type { RegistrySettingsJson } from "@wharf/contract/messages";
import { useAccess } from "../../api/access.ts";
import { api, useChange, useRead } from "../../api/client.ts";
import { texts } from "../../texts/common.ts";
import { registriesTexts, settingsTexts } from "../../texts/registry.ts";
import { Failed, Loading } from "../../ui/feedback.tsx";
import { CheckField } from "../../ui/fields.tsx";
import { PageForm } from "../../ui/page-form.tsx";

/** Settings of a group for all repositories in it and below. */
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
  const isAllowed = can("registry.settings.update", group);
  return (
    <PageForm
      label={settingsTexts.title}
      submit={texts.save}
      canSubmit={isAllowed}
      secondary={
        <Link to="/registries" className="button quiet">
          {registriesTexts.link}
        </Link>
      }
      onSubmit={async (text) => {
        await update.mutateAsync({
          registrySettings: {
            groupUid: group,
            uniqueTags: text("uniqueTags") === "on",
            eolGracePeriod: text("eolGracePeriod") === "on",
          },
          updateMask: "uniqueTags,eolGracePeriod",
        });
        return { message: settingsTexts.saved };
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
    </PageForm>
  );
}
