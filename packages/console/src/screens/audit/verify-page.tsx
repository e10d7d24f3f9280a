import type { Report } from "@wharf/contract/audit";
import { useRef, useState } from "react";
import { useGroupName } from "../../app/breadcrumbs.tsx";
import { auditTexts } from "../../texts/audit.ts";
import { Code } from "../../ui/code.tsx";
import { Failed } from "../../ui/feedback.tsx";
import { Page } from "../../ui/page.tsx";
import { BrowserVerifier } from "./browser-verifier.ts";
import { exportParts } from "./export.ts";
import { countLines } from "./lines.ts";

const { verify: labels } = auditTexts;

/** Verifies the hash chains and checkpoints of an organization, and tells how to do it without trusting this page. */
export function VerifyPage({ group }: { readonly group: string }) {
  // Chains are those of organizations.
  const root = group.split("/")[0] ?? "";
  const name = useGroupName(root);
  return (
    <Page
      title={labels.title}
      group={group}
      command={{
        cli: `wharf audit export --resource ${root} --to audit.jsonl && wharf audit verify audit.jsonl`,
        rest: `/audit/v2beta1/entries:export?filter.resource=${root}`,
      }}
    >
      <p className="lead">{labels.text}</p>
      {window.isSecureContext ? (
        <Verification root={root} organization={name} />
      ) : (
        <p>{labels.insecure}</p>
      )}
      <section aria-labelledby="elsewhere">
        <h2 id="elsewhere">{labels.elsewhere}</h2>
        <p className="soft">{labels.elsewhereText}</p>
        <Code
          text={[
            `curl -s '${window.location.origin}/.well-known/wharf-audit-keys.json' > keys.json`,
            `wharf audit export --resource ${root} --to audit.jsonl`,
            "wharf audit verify audit.jsonl --keys keys.json",
          ].join("\n")}
        />
      </section>
    </Page>
  );
}

function Verification({
  root,
  organization,
}: {
  readonly root: string;
  readonly organization: string;
}) {
  const [lines, setLines] = useState<number>();
  const [report, setReport] = useState<Report>();
  const [error, setError] = useState<Error>();
  const running = useRef<AbortController>(undefined);
  const verify = async (form: HTMLFormElement) => {
    const stop = new AbortController();
    running.current = stop;
    setReport(undefined);
    setError(undefined);
    setLines(0);
    try {
      const data = new FormData(form);
      const verifier = new BrowserVerifier(await readKeys(fileOf(data, "keys")));
      let count = 0;
      for await (const part of partsOf(root, fileOf(data, "file"), stop.signal)) {
        await verifier.add(part);
        count += countLines(part);
        setLines(count);
      }
      setReport(await verifier.finish());
    } catch (thrown) {
      const isText = thrown instanceof SyntaxError || thrown instanceof TypeError;
      if (!stop.signal.aborted) setError(isText ? new Error(labels.noJson) : (thrown as Error));
    } finally {
      setLines(undefined);
    }
  };
  return (
    <form
      className="panel"
      onSubmit={(event) => {
        event.preventDefault();
        verify(event.currentTarget);
      }}
    >
      <p>{labels.scope(organization)}</p>
      <details>
        <summary>{labels.source}</summary>
        <label className="field">
          {labels.file}
          <input type="file" name="file" accept=".jsonl,.json,.txt" />
        </label>
        <label className="field">
          {labels.keys}
          <input type="file" name="keys" accept=".json" />
          <span className="hint">{labels.keysHint}</span>
        </label>
      </details>
      <div className="actions">
        <button type="submit" className="button" disabled={lines !== undefined}>
          {labels.start}
        </button>
        {lines !== undefined && (
          <button type="button" className="button quiet" onClick={() => running.current?.abort()}>
            {labels.stop}
          </button>
        )}
      </div>
      {lines !== undefined && <p role="status">{labels.progress(lines)}</p>}
      {error !== undefined && <Failed error={error} />}
      {report !== undefined && <Result report={report} />}
    </form>
  );
}

function Result({ report }: { readonly report: Report }) {
  const { problems, problemCount, entries, chains, checkpoints } = report;
  const { unhashed, filtered, isComplete, unknownKeys } = report;
  const isGood = problemCount === 0 && unknownKeys.length === 0;
  return (
    <div role={isGood ? "status" : "alert"} className={isGood ? "passed" : "failed"}>
      <p>
        <strong>
          {isGood ? labels.good : problemCount > 0 ? labels.bad(problemCount) : labels.unverified}
        </strong>
      </p>
      {unknownKeys.length > 0 && <p>{labels.unknownKeys(unknownKeys.join(", "))}</p>}
      <p>{labels.count(entries, chains, checkpoints)}</p>
      {unhashed > 0 && <p>{labels.unhashed(unhashed)}</p>}
      {!isComplete && <p>{labels.filtered}</p>}
      {isComplete && filtered > 0 && <p>{labels.outside(filtered)}</p>}
      {problems.length > 0 && (
        <ul>
          {problems.map((problem) => (
            <li key={problem}>{problem}</li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** The file that was chosen in a field; undefined if there is none. */
function fileOf(data: FormData, name: string): File | undefined {
  const file = data.get(name);
  return file instanceof File && file.size > 0 ? file : undefined;
}

/** The text of a file, or of a new export of the organization. */
async function* partsOf(
  root: string,
  file: File | undefined,
  signal: AbortSignal,
): AsyncGenerator<string> {
  if (file === undefined) {
    yield* exportParts({ resource: root }, "AUDIT_EXPORT_FORMAT_JSON_LINES", signal);
    return;
  }
  const reader = file.stream().pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    signal.throwIfAborted();
    const { value, done } = await reader.read();
    if (done) return;
    yield value;
  }
}

async function readKeys(file: File | undefined): Promise<readonly JsonWebKey[] | undefined> {
  if (file === undefined) return undefined;
  try {
    const { keys } = JSON.parse(await file.text()) as { readonly keys: readonly JsonWebKey[] };
    if (Array.isArray(keys)) return keys;
  } catch {
    // Reported below.
  }
  throw new Error(labels.noKeys);
}
