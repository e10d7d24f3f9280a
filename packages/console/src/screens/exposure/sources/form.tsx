import type {
  VulnerabilitySourceJson,
  VulnerabilitySourceKindJson,
} from "@wharf/contract/messages";
import { useState } from "react";
import { api, useChange } from "../../../api/client.ts";
import { useExposureRefresh } from "../../../api/exposure.ts";
import { SOURCE_KINDS, sourceTexts } from "../../../texts/sources.ts";
import { entriesOf } from "../../../ui/entries.ts";
import { SelectField, TextArea, TextField } from "../../../ui/fields.tsx";
import { CreateDialog, EditDialog } from "../../../ui/form.tsx";

const { fields } = sourceTexts;

/** Kinds whose records belong to ecosystems. */
const WITH_ECOSYSTEMS: ReadonlySet<string> = new Set([
  "VULNERABILITY_SOURCE_KIND_OSV",
  "VULNERABILITY_SOURCE_KIND_ALPINE",
  "VULNERABILITY_SOURCE_KIND_SECDB",
]);

/** Kinds that are one file, which may have a checksum. */
const WITH_CHECKSUM: ReadonlySet<string> = new Set([
  "VULNERABILITY_SOURCE_KIND_SECDB",
  "VULNERABILITY_SOURCE_KIND_KEV",
  "VULNERABILITY_SOURCE_KIND_EPSS",
]);

export function CreateSource({ parent }: { readonly parent: string }) {
  const create = useChange(api.vulnerabilitySources.create);
  const refresh = useExposureRefresh();
  const [kind, setKind] = useState("VULNERABILITY_SOURCE_KIND_OSV");
  return (
    <CreateDialog
      submit={sourceTexts.add}
      onSubmit={async (text) => {
        const name = text("name");
        const source = { ...valuesOf(text), kind: text("kind") as VulnerabilitySourceKindJson };
        await create.mutateAsync({ parent, vulnerabilitySource: source });
        refresh();
        return { message: sourceTexts.added(name) };
      }}
    >
      <SelectField
        name="kind"
        label={fields.kind}
        options={SOURCE_KINDS}
        value={kind}
        onChange={setKind}
      />
      <Fields kind={kind} />
      <p className="soft">{sourceTexts.installation}</p>
    </CreateDialog>
  );
}

export function EditSource({ source }: { readonly source: VulnerabilitySourceJson }) {
  const update = useChange(api.vulnerabilitySources.update);
  const { uid = "", name = "", kind = "" } = source;
  return (
    <EditDialog
      title={sourceTexts.editTitle(name)}
      trigger={sourceTexts.edit}
      onSubmit={async (text) => {
        const { token, ...values } = valuesOf(text);
        const masked = [...Object.keys(values), ...(token === undefined ? [] : ["token"])];
        await update.mutateAsync({
          vulnerabilitySource: { uid, ...values, ...(token !== undefined && { token }) },
          updateMask: masked.join(","),
        });
        return { message: sourceTexts.edited(text("name")) };
      }}
    >
      <Fields kind={kind} source={source} />
    </EditDialog>
  );
}

function Fields({
  kind,
  source = {},
}: {
  readonly kind: string;
  readonly source?: VulnerabilitySourceJson;
}) {
  const interval = source.interval ?? "";
  return (
    <>
      <TextField name="name" label={fields.name} value={source.name} isRequired />
      {WITH_ECOSYSTEMS.has(kind) && (
        <TextArea
          name="ecosystems"
          label={fields.ecosystems}
          hint={fields.ecosystemsHint}
          value={source.ecosystems?.join("\n")}
          isRequired
          rows={3}
        />
      )}
      <TextField
        name="url"
        label={fields.url}
        hint={fields.urlHint}
        type="url"
        value={source.url}
      />
      <SelectField
        name="interval"
        label={fields.interval}
        options={{ ...fields.intervals, ...(interval !== "" && { [interval]: interval }) }}
        value={interval}
      />
      <TextField
        name="token"
        label={fields.token}
        hint={fields.tokenHint}
        type="password"
        autoComplete="new-password"
      />
      {WITH_CHECKSUM.has(kind) && (
        <TextField
          name="checksum"
          label={fields.checksum}
          hint={fields.checksumHint}
          value={source.checksum}
        />
      )}
    </>
  );
}

/** The values of these fields; an empty token and the default interval are left out. */
function valuesOf(text: (name: string) => string) {
  const token = text("token");
  const interval = text("interval");
  return {
    name: text("name"),
    url: text("url"),
    ecosystems: entriesOf(text("ecosystems")),
    checksum: text("checksum"),
    ...(interval !== "" && { interval }),
    ...(token !== "" && { token }),
  };
}
