import { useNavigate } from "@tanstack/react-router";
import type { AdvisoryJson } from "@wharf/contract/messages";
import { api, useChange } from "../../api/client.ts";
import { parentOf, screenLink } from "../../app/place.ts";
import { advisoryTexts } from "../../texts/advisories.ts";
import { texts } from "../../texts/common.ts";
import { TextArea, TextField } from "../../ui/fields.tsx";
import { FormDialog } from "../../ui/form.tsx";
import { Icon } from "../../ui/icons.tsx";
import { toast } from "../../ui/toast.tsx";

const { fields } = advisoryTexts;

/** Fields of an advisory that people write, with an empty text if they do not. */
function Fields({ advisory = {} }: { readonly advisory?: AdvisoryJson }) {
  return (
    <>
      <TextField
        name="artifactName"
        label={fields.artifactName}
        value={advisory.artifactName}
        isRequired
      />
      <TextField
        name="artifactType"
        label={fields.artifactType}
        hint={fields.artifactTypeHint}
        value={advisory.artifactType ?? "apk"}
        isRequired
      />
      <TextField
        name="artifactArchitecture"
        label={fields.artifactArchitecture}
        value={advisory.artifactArchitecture}
      />
      <TextArea
        name="aliases"
        label={fields.aliases}
        hint={fields.aliasesHint}
        value={advisory.aliases?.join("\n")}
        rows={2}
      />
      <TextField name="componentName" label={fields.componentName} value={advisory.componentName} />
      <TextField name="componentType" label={fields.componentType} value={advisory.componentType} />
      <TextField
        name="componentLocation"
        label={fields.componentLocation}
        value={advisory.componentLocation}
      />
    </>
  );
}

/** What was entered, as version 1 takes it. */
function entered(text: (name: string) => string) {
  return {
    artifactName: text("artifactName"),
    artifactType: text("artifactType"),
    artifactArchitecture: text("artifactArchitecture"),
    componentName: text("componentName"),
    componentType: text("componentType"),
    componentLocation: text("componentLocation"),
    aliases: linesOf(text("aliases")),
  };
}

/** The lines of a text, without empty ones. */
export function linesOf(text: string): string[] {
  return text
    .split(/[\n,]/)
    .map((line) => line.trim())
    .filter(Boolean);
}

export function CreateAdvisory({ parent }: { readonly parent: string }) {
  const create = useChange(api.advisoriesV1.create, [api.advisories.list]);
  const navigate = useNavigate();
  return (
    <FormDialog
      title={advisoryTexts.create}
      submit={advisoryTexts.create}
      trigger={
        <>
          <Icon name="plus" />
          {advisoryTexts.create}
        </>
      }
      onSubmit={async (text) => {
        const advisory = { ...entered(text), advisoryId: text("advisoryId") };
        const { id = "", advisoryId = "" } = await create.mutateAsync({
          parentId: parent,
          advisory,
        });
        toast(advisoryTexts.created(advisoryId));
        navigate(screenLink("advisory", id));
      }}
    >
      <Fields />
      <TextField name="advisoryId" label={fields.advisoryId} hint={fields.advisoryIdHint} />
    </FormDialog>
  );
}

export function EditAdvisory({ advisory }: { readonly advisory: AdvisoryJson }) {
  const update = useChange(api.advisoriesV1.update, [api.advisories.list]);
  const { uid = "", advisoryId = "", legacyAdvisoryId } = advisory;
  return (
    <FormDialog
      title={advisoryTexts.editTitle(advisoryId)}
      submit={texts.save}
      trigger={advisoryTexts.edit}
      className="button quiet"
      onSubmit={async (text) => {
        await update.mutateAsync({
          id: uid,
          ...entered(text),
          ...(legacyAdvisoryId !== undefined && { legacyAdvisoryID: legacyAdvisoryId }),
        });
        toast(advisoryTexts.edited(advisoryId));
      }}
    >
      <Fields advisory={advisory} />
    </FormDialog>
  );
}

export function DeleteAdvisory({
  advisory: { uid = "", advisoryId = "" },
}: {
  readonly advisory: AdvisoryJson;
}) {
  const remove = useChange(api.advisoriesV1.delete, [api.advisories.list]);
  const navigate = useNavigate();
  return (
    <FormDialog
      title={advisoryTexts.deleteTitle(advisoryId)}
      submit={texts.delete}
      isDangerous
      trigger={texts.delete}
      className="button quiet"
      onSubmit={async () => {
        await remove.mutateAsync({ id: uid });
        toast(advisoryTexts.deleted(advisoryId));
        navigate(screenLink("advisories", parentOf(uid)));
      }}
    >
      <p>{advisoryTexts.deleteText}</p>
    </FormDialog>
  );
}
