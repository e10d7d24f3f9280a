import type { IdentityJson } from "@wharf/contract/messages";
import { api, useChange } from "../../api/client.ts";
import { identityTexts } from "../../texts/identities.ts";
import { platformTexts } from "../../texts/platforms.ts";
import { TextArea, TextField } from "../../ui/fields.tsx";
import { EditDialog } from "../../ui/form.tsx";
import { claimLines, claimsProblem, type Either, editedTrust } from "./edited-trust.ts";

/** Edits the name, the description and the trust of an identity. */
export function EditIdentity({ identity }: { readonly identity: IdentityJson }) {
  const { uid = "", name = "", description } = identity;
  const update = useChange(api.identities.update);
  return (
    <EditDialog
      title={identityTexts.editTitle(name)}
      trigger={identityTexts.edit}
      onSubmit={async (text) => {
        const [field, relationship] = editedTrust(identity, text);
        await update.mutateAsync({
          identity: {
            uid,
            name: text("name"),
            description: text("description"),
            ...relationship,
          },
          updateMask: ["name", "description", field].filter(Boolean).join(","),
        });
        return { message: identityTexts.edited(text("name")) };
      }}
    >
      <TextField name="name" label={identityTexts.name} value={name} isRequired />
      <TextField name="description" label={identityTexts.description} value={description} />
      <TrustFields identity={identity} />
      <p className="hint">{identityTexts.editTrust}</p>
    </EditDialog>
  );
}

function TrustFields({
  identity: { claimMatch, staticKeys, awsIdentity },
}: {
  readonly identity: IdentityJson;
}) {
  if (claimMatch) {
    return (
      <>
        <EitherField of="issuer" current={claimMatch} />
        <EitherField of="subject" current={claimMatch} />
        <EitherField of="audience" current={claimMatch} />
        <TextArea
          name="claims"
          label={identityTexts.claims}
          hint={platformTexts.any.fields.claims?.hint ?? ""}
          value={claimLines(claimMatch.claims)}
          check={claimsProblem}
          rows={2}
        />
        <TextArea
          name="claimPatterns"
          label={identityTexts.claimPatterns}
          value={claimLines(claimMatch.claimPatterns)}
          check={claimsProblem}
          rows={2}
        />
      </>
    );
  }
  if (staticKeys) {
    return (
      <>
        <TextField
          name="issuer"
          label={identityTexts.issuer}
          value={staticKeys.issuer}
          isRequired
        />
        <TextField
          name="subject"
          label={identityTexts.subject}
          value={staticKeys.subject}
          isRequired
        />
        <TextArea
          name="issuerKeys"
          label={identityTexts.keys}
          value={staticKeys.issuerKeys}
          rows={6}
          isRequired
        />
        <TextField
          name="expirationTime"
          type="date"
          label={identityTexts.expires}
          value={staticKeys.expirationTime?.slice(0, 10)}
        />
        <TextField
          name="audience"
          label={identityTexts.audience}
          value={staticKeys.audiences?.[0]}
        />
      </>
    );
  }
  return (
    <>
      <TextField
        name="awsAccount"
        label={identityTexts.account}
        value={awsIdentity?.awsAccount}
        isRequired
      />
      <EitherField of="arn" current={awsIdentity ?? {}} />
      <EitherField of="userId" current={awsIdentity ?? {}} />
    </>
  );
}

/** A value, or a pattern if the identity has one. */
function EitherField({
  of,
  current,
}: {
  readonly of: Either;
  readonly current: Readonly<Partial<Record<Either | `${Either}Pattern`, string>>>;
}) {
  const field = current[`${of}Pattern`] ? (`${of}Pattern` as const) : of;
  return (
    <TextField
      name={field}
      label={identityTexts[field]}
      value={current[field]}
      isRequired={of !== "audience"}
    />
  );
}
