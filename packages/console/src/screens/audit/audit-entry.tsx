import { Link } from "@tanstack/react-router";
import type { AuditEntryJson } from "@wharf/contract/messages";
import type { ReactNode } from "react";
import { api, useRead } from "../../api/client.ts";
import { parentOf, screenLink, useScreenLocation } from "../../app/location.ts";
import { auditTexts } from "../../texts/audit.ts";
import { Code } from "../../ui/code.tsx";
import { Facts } from "../../ui/facts.tsx";
import { Failed, Loading } from "../../ui/feedback.tsx";
import { Page } from "../../ui/page.tsx";
import { Age } from "../../ui/time.tsx";
import { Changes } from "./changes.tsx";
import { actionOf, OutcomeBadge } from "./outcome.tsx";

const { entry: labels } = auditTexts;

/** One entry: who did what, from where, what changed, and its place in the hash chain. */
export function Screen() {
  const { uid: group, resource } = useScreenLocation();
  const uid = resource.slice(parentOf(resource).length + 1);
  const { data: entry, error } = useRead(api.audit.getEntry, { uid });
  return (
    <Page
      title={entry === undefined ? labels.title : actionOf(entry.method ?? "")}
      group={group}
      command={{ cli: `wharf audit get ${uid} -o json`, rest: `/audit/v2beta1/entries/${uid}` }}
    >
      {error !== null && <Failed error={error} />}
      {error === null && entry === undefined && <Loading />}
      {entry !== undefined && error === null && <Entry entry={entry} group={group} />}
    </Page>
  );
}

function Entry({ entry, group }: { readonly entry: AuditEntryJson; readonly group: string }) {
  const { actor, resource, detail = {}, integrity, changedFields = [] } = entry;
  const { changes, deleted, ...details } = detail as Readonly<Record<string, unknown>>;
  const only = (
    name: string,
    value: string | undefined,
    shown: ReactNode = <code>{value}</code>,
  ) =>
    value ? (
      <>
        {shown}{" "}
        <Link {...screenLink("audit", group)} search={{ [name]: value } as never} className="only">
          {labels.all}
        </Link>
      </>
    ) : undefined;
  return (
    <>
      <Changes
        changes={isRecord(changes) ? changes : {}}
        fields={changedFields}
        deleted={isRecord(deleted) ? deleted : undefined}
      />
      <div className="panels">
        <Panel id="what" title={labels.what}>
          {{
            [auditTexts.method]: only("method", entry.method),
            [auditTexts.outcome]: (
              <>
                <OutcomeBadge code={entry.code} /> {labels.code} {entry.code ?? 0}
              </>
            ),
            [labels.time]: <Age time={entry.time} />,
            [labels.kind]: resource?.type,
            [labels.name]: resource?.name,
            [auditTexts.resource]: only("resource", resource?.uid),
          }}
        </Panel>
        <Panel id="who" title={labels.who}>
          {{
            [labels.name]: actor?.name || (actor?.uid ? undefined : auditTexts.system),
            [auditTexts.actor]: only("actor", actor?.uid),
            [auditTexts.session]: only("session", entry.session),
          }}
        </Panel>
        <Panel id="where" title={labels.where}>
          {{
            [auditTexts.address]: only("address", entry.sourceAddress),
            [auditTexts.via]: only(
              "via",
              entry.via,
              auditTexts.vias[entry.via as keyof typeof auditTexts.vias] ?? entry.via,
            ),
            [labels.userAgent]: entry.userAgent,
            [auditTexts.request]: only("request", entry.requestId),
          }}
        </Panel>
        {integrity !== undefined && (
          <Panel id="integrity" title={labels.integrity}>
            {{
              [labels.chain]: <code>{integrity.chain}</code>,
              [labels.sequence]: integrity.sequence,
              [labels.hash]: <code>{integrity.hash}</code>,
              [labels.previous]: integrity.previousHash && <code>{integrity.previousHash}</code>,
            }}
          </Panel>
        )}
      </div>
      {Object.keys(details).length > 0 && (
        <section aria-labelledby="details">
          <h2 id="details">{labels.details}</h2>
          <Code text={JSON.stringify(details, null, 2)} />
        </section>
      )}
      <details>
        <summary>{labels.json}</summary>
        <Code text={JSON.stringify(entry, null, 2)} />
      </details>
    </>
  );
}

function Panel({
  id,
  title,
  children,
}: {
  readonly id: string;
  readonly title: string;
  readonly children: Readonly<Record<string, ReactNode>>;
}) {
  return (
    <section className="panel" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      <Facts facts={children} />
    </section>
  );
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
