import { useQueryClient } from "@tanstack/react-query";
import type { Refusal, Tally } from "@wharf/advisories/import";
import { type FormEvent, useRef, useState } from "react";
import { useAccess } from "../../api/access.ts";
import { api, serviceOf } from "../../api/client.ts";
import { importTexts } from "../../texts/advisories.ts";
import { Failed } from "../../ui/feedback.tsx";
import { CheckField, SelectField, TextField } from "../../ui/fields.tsx";
import { PlainTable } from "../../ui/growing-table.tsx";
import type { Column } from "../../ui/table.tsx";
import { valuesIn } from "./filters.ts";
import { chosenFiles, droppedFiles } from "./import/files.ts";
import type { NamedFile } from "./import/items.ts";

/** The progress of an import. */
interface Progress {
  readonly tally: Readonly<Tally> | undefined;
  readonly read: number;
  readonly files: number;
  readonly isDryRun: boolean;
  readonly state: "running" | "done" | "stopped";
  readonly error?: Error;
}

/** Imports documents by drag and drop, or from a file dialog. They are read here, and sent in batches. */
export function Import({ group }: { readonly group: string }) {
  const { can, isKnown } = useAccess();
  const cache = useQueryClient();
  const form = useRef<HTMLFormElement>(null);
  const stop = useRef<AbortController>(undefined);
  const [progress, setProgress] = useState<Progress>();
  const [isOver, setOver] = useState(false);
  const isAllowed = can("advisories.create", group) && can("advisories.update", group);
  if (isKnown && !isAllowed) return <p>{importTexts.denied}</p>;

  const start = async (files: readonly NamedFile[]) => {
    if (files.length === 0 || progress?.state === "running" || form.current === null) return;
    const data = new FormData(form.current);
    const abort = new AbortController();
    stop.current = abort;
    const isDryRun = data.has("dryRun");
    const shown = { files: files.length, isDryRun };
    let last: Progress = { ...shown, tally: undefined, read: 0, state: "running" };
    setProgress(last);
    try {
      const { importFiles } = await import("./import/run.ts");
      await importFiles(files, {
        parent: group,
        format: String(data.get("format") ?? ""),
        metadataOnly: data.has("metadataOnly"),
        include: valuesIn(data.get("include")),
        exclude: valuesIn(data.get("exclude")),
        dryRun: isDryRun,
        signal: abort.signal,
        onProgress: (tally, read) => {
          last = {
            ...shown,
            tally: Object.assign(Object.create(null), tally),
            read,
            state: "running",
          };
          setProgress(last);
        },
      });
      setProgress({ ...last, state: abort.signal.aborted ? "stopped" : "done" });
    } catch (thrown) {
      setProgress({ ...last, state: "stopped", error: thrown as Error });
    }
    cache.invalidateQueries({ queryKey: [serviceOf(api.advisories.list)] });
  };

  return (
    <>
      <form
        ref={form}
        className="editor"
        onSubmit={(event: FormEvent) => event.preventDefault()}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={async (event) => {
          event.preventDefault();
          setOver(false);
          await start(await droppedFiles(event.dataTransfer));
        }}
      >
        <div className={isOver ? "drop over" : "drop"}>
          <p>
            <strong>{importTexts.drop}</strong>
          </p>
          <p className="soft">{importTexts.formats}</p>
          <label className="button">
            {importTexts.choose}
            <input
              type="file"
              className="unseen"
              multiple
              onChange={async ({ currentTarget }) => {
                const files = chosenFiles(currentTarget.files ?? new DataTransfer().files);
                await start(files);
                // The same files can be chosen again.
                currentTarget.value = "";
              }}
            />
          </label>
        </div>
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
      </form>
      {isKnown && !can("advisories.approve", group) && <p>{importTexts.pendingNote}</p>}
      {progress !== undefined && (
        <Report progress={progress} onStop={() => stop.current?.abort()} />
      )}
    </>
  );
}

/** The numbers of the command's report. */
function Report({
  progress: { tally, read, files, isDryRun, state, error },
  onStop,
}: {
  readonly progress: Progress;
  readonly onStop: () => void;
}) {
  const names = importTexts.tally;
  return (
    <section aria-labelledby="result" className="sheet">
      <h2 id="result">{isDryRun ? importTexts.dryResult : importTexts.result}</h2>
      {state === "running" && (
        <>
          <progress value={read} max={files} aria-label={importTexts.progress} />
          <div className="line">
            <span role="status">{importTexts.running(read, files)}</span>
            <button type="button" className="button quiet small" onClick={onStop}>
              {importTexts.stop}
            </button>
          </div>
        </>
      )}
      {state === "stopped" && <p role="status">{importTexts.stopped}</p>}
      {error !== undefined && <Failed error={error} />}
      {tally !== undefined && (
        <>
          <dl className="tally" aria-live="polite">
            {(Object.keys(names) as (keyof typeof names)[]).map((name) => (
              <div key={name}>
                <dt>{names[name]}</dt>
                <dd>{tally[name]}</dd>
              </div>
            ))}
          </dl>
          <Refusals
            title={importTexts.rejected}
            text={importTexts.rejectedText}
            refusals={tally.refusals}
          />
          <Refusals title={importTexts.warnings} refusals={tally.warnings} />
        </>
      )}
    </section>
  );
}

/** Of the same mistake in every document, the first ones tell enough. */
const MAX_SHOWN = 100;

const COLUMNS: readonly Column<Refusal>[] = [
  {
    header: importTexts.document,
    cell: ({ document, line }) => (line === undefined ? document : `${document}:${line}`),
  },
  { header: importTexts.field, cell: ({ field }) => field && <code>{field}</code> },
  { header: importTexts.reason, cell: ({ reason }) => reason },
];

function Refusals({
  title,
  text,
  refusals,
}: {
  readonly title: string;
  readonly text?: string;
  readonly refusals: readonly Refusal[];
}) {
  if (refusals.length === 0) return null;
  const more = refusals.length - MAX_SHOWN;
  return (
    <>
      <h3>{title}</h3>
      {text !== undefined && <p className="soft">{text}</p>}
      <div className="table-frame">
        <PlainTable
          label={title}
          rows={refusals.slice(0, MAX_SHOWN)}
          columns={COLUMNS}
          keyOf={({ document, line, field, reason }) => `${document}:${line} ${field} ${reason}`}
        />
      </div>
      {more > 0 && <p className="soft">{importTexts.more(more)}</p>}
    </>
  );
}
