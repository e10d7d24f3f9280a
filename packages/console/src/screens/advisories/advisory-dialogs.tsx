import type { AdvisoryJson } from "@wharf/contract/messages";
import { api, useChange } from "../../api/client.ts";
import { parentOf, screenLink } from "../../app/location.ts";
import { advisoryTexts } from "../../texts/advisories.ts";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { entriesOf } from "../../ui/entries.ts";
import { TextArea, TextField } from "../../ui/fields.tsx";
import { CreateDialog, EditDialog } from "../../ui/form.tsx";

const { fields } = advisoryTexts;

/** The editable fields of an advisory. */
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

/** The values as fields of a request of version 1. */
function valuesOf(text: (name: string) => string) {
  return {
    artifactName: text("artifactName"),
    artifactType: text("artifactType"),
    artifactArchitecture: text("artifactArchitecture"),
    componentName: text("componentName"),
    componentType: text("componentType"),
    componentLocation: text("componentLocation"),
    aliases: entriesOf(text("aliases")),
  };
}

export function CreateAdvisory({ parent }: { readonly parent: string }) {
  const create = useChange(api.advisoriesV1.create, [api.advisories.list]);
  return (
    <CreateDialog
      submit={advisoryTexts.create}
      onSubmit={async (text) => {
        const advisory = { ...valuesOf(text), advisoryId: text("advisoryId") };
        const { id = "", advisoryId = "" } = await create.mutateAsync({
          parentId: parent,
          advisory,
        });
        return { message: advisoryTexts.created(advisoryId), open: screenLink("advisory", id) };
      }}
    >
      <Fields />
      <TextField name="advisoryId" label={fields.advisoryId} hint={fields.advisoryIdHint} />
    </CreateDialog>
  );
}

export function EditAdvisory({ advisory }: { readonly advisory: AdvisoryJson }) {
  const update = useChange(api.advisoriesV1.update, [api.advisories.list]);
  const { uid = "", advisoryId = "", legacyAdvisoryId } = advisory;
  return (
    <EditDialog
      title={advisoryTexts.editTitle(advisoryId)}
      trigger={advisoryTexts.edit}
      onSubmit={async (text) => {
        await update.mutateAsync({
          id: uid,
          ...valuesOf(text),
          ...(legacyAdvisoryId !== undefined && { legacyAdvisoryID: legacyAdvisoryId }),
        });
        return { message: advisoryTexts.edited(advisoryId) };
      }}
    >
      <Fields advisory={advisory} />
    </EditDialog>
  );
}

export function DeleteAdvisory({
  advisory: { uid = "", advisoryId = "" },
}: {
  readonly advisory: AdvisoryJson;
}) {
  const remove = useChange(api.advisoriesV1.delete, [api.advisories.list]);
  return (
    <ConfirmDialog
      change={remove}
      request={{ id: uid }}
      title={advisoryTexts.deleteTitle(advisoryId)}
      message={advisoryTexts.deleted(advisoryId)}
      open={screenLink("advisories", parentOf(uid))}
    >
      <p>{advisoryTexts.deleteText}</p>
    </ConfirmDialog>
  );
}
