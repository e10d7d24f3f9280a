import type { ListFindingsRequestJson } from "@wharf/contract/messages";
import { allPages } from "../../../api/all-pages.ts";
import { api } from "../../../api/client.ts";
import { readInstallation } from "../../../api/installation.ts";
import { exposureTexts } from "../../../texts/exposure.ts";
import { SelectField } from "../../../ui/fields.tsx";
import { FormDialog } from "../../../ui/form.tsx";
import { saveFile } from "../../../ui/save-file.ts";

const { export: words } = exposureTexts;

/** Saves all findings that match a list as a file. */
export function ExportFindings({ request }: { readonly request: ListFindingsRequestJson }) {
  return (
    <FormDialog
      submit={words.button}
      title={words.title}
      icon="download"
      className="button quiet"
      onSubmit={async (text) => {
        const [installation, findings] = await Promise.all([
          readInstallation(),
          allPages(api.findings.list, request, (page) => page.findings),
        ]);
        const { fileOf } = await import("./file.ts");
        const { name, type, content } = fileOf(text("format"), findings, {
          ...installation,
          time: new Date(),
        });
        saveFile(name, new Blob([content], { type }));
        return { message: words.done(findings.length) };
      }}
    >
      <p>{words.text}</p>
      <SelectField name="format" label={words.format} options={words.formats} />
    </FormDialog>
  );
}
