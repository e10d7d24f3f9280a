import { auditTexts } from "../../texts/audit.ts";
import { Code } from "../../ui/code.tsx";

const { entry: labels } = auditTexts;

/** The changed fields of an update, before and after; or the deleted resource. */
export function Changes({
  changes,
  fields,
  deleted,
}: {
  /** The recorded values by field: `before` and `after`, each absent if it was not set. */
  readonly changes: Readonly<Record<string, unknown>>;
  /** All fields that changed; values of secrets and long ones are not recorded. */
  readonly fields: readonly string[];
  readonly deleted: Readonly<Record<string, unknown>> | undefined;
}) {
  return (
    <>
      {fields.length > 0 && (
        <section aria-labelledby="changes">
          <h2 id="changes">{labels.changes}</h2>
          <div className="table-frame">
            <table className="changes" aria-label={labels.changes}>
              <thead>
                <tr>
                  <th scope="col">{labels.field}</th>
                  <th scope="col">{labels.before}</th>
                  <th scope="col">{labels.after}</th>
                </tr>
              </thead>
              <tbody>
                {fields.map((field) => {
                  const change = changes[field] as Readonly<Record<string, unknown>> | undefined;
                  return (
                    <tr key={field}>
                      <td data-label={labels.field}>
                        <code>{field}</code>
                      </td>
                      <td data-label={labels.before}>
                        <Value change={change} side="before" />
                      </td>
                      <td data-label={labels.after}>
                        <Value change={change} side="after" />
                      </td>
                    </tr>
                  );
                })}
              </tbody>
            </table>
          </div>
        </section>
      )}
      {deleted !== undefined && (
        <section aria-labelledby="deleted">
          <h2 id="deleted">{labels.deleted}</h2>
          <Code text={JSON.stringify(deleted, null, 2)} />
        </section>
      )}
    </>
  );
}

function Value({
  change,
  side,
}: {
  readonly change: Readonly<Record<string, unknown>> | undefined;
  readonly side: "before" | "after";
}) {
  if (change === undefined) return <span className="soft">{labels.notRecorded}</span>;
  const value = change[side];
  if (value === undefined || value === "") return <span className="soft">{labels.unset}</span>;
  const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
  return side === "before" ? (
    <del className="wrap">{text}</del>
  ) : (
    <ins className="wrap">{text}</ins>
  );
}
