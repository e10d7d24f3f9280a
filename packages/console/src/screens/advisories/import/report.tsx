import type { Refusal } from "@wharf/advisories/import";
import { importTexts } from "../../../texts/advisories.ts";
import { Failed } from "../../../ui/feedback.tsx";
import { PlainTable } from "../../../ui/growing-table.tsx";
import type { Column } from "../../../ui/table.tsx";
import type { Progress } from "./use-import.ts";

/** The numbers of the command's report. */
export function Report({
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
