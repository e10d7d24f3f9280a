import { type ReactNode, useRef, useState } from "react";
import { useAccess } from "../../api/access.ts";
import { importTexts } from "../../texts/advisories.ts";
import { CheckField, SelectField, TextField } from "../../ui/fields.tsx";
import { chosenFiles, droppedFiles } from "./import/files.ts";
import type { NamedFile } from "./import/items.ts";
import { Report } from "./import/report.tsx";
import { useImport } from "./import/use-import.ts";

/** Imports documents by drag and drop, or from a file dialog. They are read here, and sent in batches. */
export function Import({ group }: { readonly group: string }) {
  const { can, isKnown } = useAccess();
  const { progress, start, stop } = useImport(group);
  const isAllowed = can("advisories.create", group) && can("advisories.update", group);
  if (isKnown && !isAllowed) return <p>{importTexts.denied}</p>;
  return (
    <>
      <DropForm onFiles={start}>
        <Options />
      </DropForm>
      {isKnown && !can("advisories.approve", group) && <p>{importTexts.pendingNote}</p>}
      {progress !== undefined && <Report progress={progress} onStop={stop} />}
    </>
  );
}

/** A form that accepts files in any place, and sends them with the options inside it. */
function DropForm({
  onFiles,
  children,
}: {
  readonly onFiles: (files: readonly NamedFile[], options: FormData) => Promise<void>;
  readonly children: ReactNode;
}) {
  const form = useRef<HTMLFormElement>(null);
  const [isOver, setOver] = useState(false);
  const send = async (files: readonly NamedFile[]) => {
    if (form.current !== null) await onFiles(files, new FormData(form.current));
  };
  return (
    <form
      ref={form}
      className="editor"
      onSubmit={(event) => event.preventDefault()}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={async (event) => {
        event.preventDefault();
        setOver(false);
        await send(await droppedFiles(event.dataTransfer));
      }}
    >
      <div className={isOver ? "drop over" : "drop"}>
        <p>
          <strong>{importTexts.drop}</strong>
        </p>
        <p className="soft">{importTexts.formats}</p>
        <FileButton onFiles={send} />
      </div>
      {children}
    </form>
  );
}

function FileButton({
  onFiles,
}: {
  readonly onFiles: (files: readonly NamedFile[]) => Promise<void>;
}) {
  return (
    <label className="button">
      {importTexts.choose}
      <input
        type="file"
        className="unseen"
        multiple
        onChange={async ({ currentTarget }) => {
          await onFiles(chosenFiles(currentTarget.files ?? new DataTransfer().files));
          // The same files can be chosen again.
          currentTarget.value = "";
        }}
      />
    </label>
  );
}

/** The options of `wharf advisories import`. */
function Options() {
  return (
    <div className="import-options">
      <SelectField
        name="format"
        label={importTexts.format}
        options={{ "": importTexts.detected, ...importTexts.formatNames }}
      />
      <CheckField name="dryRun" label={importTexts.dryRun} />
      <CheckField name="metadataOnly" label={importTexts.metadataOnly} />
      <div className="import-files">
        <TextField
          name="include"
          label={importTexts.include}
          hint={importTexts.includeHint}
          placeholder={importTexts.includeAll}
        />
        <TextField name="exclude" label={importTexts.exclude} hint={importTexts.excludeHint} />
      </div>
    </div>
  );
}
