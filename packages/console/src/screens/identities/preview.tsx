import type { Sample, Trust } from "@wharf/trust";
import { useState } from "react";
import { identityTexts } from "../../texts/identities.ts";
import { Accepts } from "./accepts.tsx";
import { expectedOf, matches } from "./trust.ts";

/** A preview of the tokens that an identity would accept, updated while it is entered. */
export function Preview({
  trust,
  warnings,
}: {
  readonly trust: Trust;
  readonly warnings: readonly string[];
}) {
  const { subject } = expectedOf(trust.relationship);
  return (
    <section className="preview" aria-labelledby="preview">
      <h2 id="preview">{identityTexts.preview}</h2>
      <p className="soft">{identityTexts.previewText}</p>
      <Accepts identity={trust.relationship} />
      <Warnings title={identityTexts.warningsTitle} warnings={warnings} />
      {subject !== undefined && (
        <>
          <h3>{identityTexts.samples}</h3>
          <ul className="samples">
            {trust.samples.map((sample) => (
              <Verdict
                key={sample.of}
                sample={sample}
                isAccepted={matches(subject, sample.subject)}
              />
            ))}
            <TrySubject accepts={(text) => matches(subject, text)} />
          </ul>
        </>
      )}
    </section>
  );
}

/** Warnings, announced as they appear. */
export function Warnings({
  title,
  warnings,
}: {
  readonly title: string;
  readonly warnings: readonly string[];
}) {
  return (
    <div aria-live="polite">
      {warnings.length > 0 && (
        <div className="warnings">
          <h3>{title}</h3>
          <ul>
            {warnings.map((warning) => (
              <li key={warning}>{warning}</li>
            ))}
          </ul>
        </div>
      )}
    </div>
  );
}

function Verdict({
  sample: { subject, of },
  isAccepted,
}: {
  readonly sample: Sample;
  readonly isAccepted: boolean | undefined;
}) {
  return (
    <li>
      <Badge isAccepted={isAccepted} />
      <span>
        {of}
        <small>
          <code>{subject}</code>
        </small>
      </span>
    </li>
  );
}

function Badge({ isAccepted }: { readonly isAccepted: boolean | undefined }) {
  if (isAccepted === undefined) return <span className="badge">{identityTexts.unknown}</span>;
  return isAccepted ? (
    <span className="badge good">{identityTexts.accepted}</span>
  ) : (
    <span className="badge quiet">{identityTexts.rejected}</span>
  );
}

function TrySubject({ accepts }: { readonly accepts: (text: string) => boolean | undefined }) {
  const [text, setText] = useState("");
  return (
    <li className="try">
      <label>
        {identityTexts.trySubject}
        <input
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
          autoComplete="off"
          spellCheck={false}
        />
      </label>
      <span aria-live="polite">{text !== "" && <Badge isAccepted={accepts(text)} />}</span>
      <p className="hint">{identityTexts.trySubjectHint}</p>
    </li>
  );
}
