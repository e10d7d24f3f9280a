import { useState } from "react";
import { docsTexts } from "../texts/docs.ts";
import { type Operation, type Reference, search } from "./document.ts";
import { Verb } from "./operation.tsx";
import { linkTo, type Route, useRoute } from "./route.ts";

/** At most this many results are shown: more words find fewer. */
const MAX_RESULTS = 100;

/** All operations by group, or what a search finds. */
export function Navigation({ reference }: { readonly reference: Reference }) {
  const [text, setText] = useState("");
  const route = useRoute();
  const found = text.trim() === "" ? undefined : search(reference, text);
  const current = reference.operations.find(({ operationId }) => operationId === route.name);
  return (
    <nav className="side" aria-label={docsTexts.operations}>
      <input
        type="search"
        aria-label={docsTexts.find}
        placeholder={docsTexts.findHint}
        value={text}
        onChange={({ currentTarget: { value } }) => setText(value)}
      />
      {found === undefined ? (
        [...reference.groups].map(([tag, operations]) => (
          <details key={`${tag} ${current?.tag === tag}`} open={current?.tag === tag}>
            <summary>{tag}</summary>
            <Entries entries={operations} route={route} />
          </details>
        ))
      ) : (
        <>
          <p className="unseen" role="status">
            {found.length === 0 ? docsTexts.nothing : found.length}
          </p>
          {found.length === 0 && <p className="soft">{docsTexts.nothing}</p>}
          <Entries entries={found.slice(0, MAX_RESULTS)} route={route} />
        </>
      )}
    </nav>
  );
}

/** Operations, and schemas by name. */
function Entries({
  entries,
  route,
}: {
  readonly entries: readonly (Operation | string)[];
  readonly route: Route;
}) {
  return (
    <ul>
      {entries.map((entry) =>
        typeof entry === "string" ? (
          <li key={entry}>
            <a {...linkTo({ kind: "schema", name: entry })} {...currentOf(route, "schema", entry)}>
              {entry}
            </a>
          </li>
        ) : (
          <li key={entry.operationId}>
            <a
              {...linkTo({ kind: "operation", name: entry.operationId })}
              {...currentOf(route, "operation", entry.operationId)}
            >
              <Verb verb={entry.verb} />
              <span>{entry.summary ?? entry.path}</span>
            </a>
          </li>
        ),
      )}
    </ul>
  );
}

function currentOf({ kind, name }: Route, wanted: Route["kind"], entry: string) {
  return kind === wanted && name === entry ? { "aria-current": "page" as const } : {};
}
