import type { AuditEntryJson, AuditFilterJson } from "@wharf/contract/messages";
import { api } from "../../api/client.ts";
import { type ListSearch, useListSearch, usePlace } from "../../app/place.ts";
import { auditTexts } from "../../texts/audit.ts";
import { texts } from "../../texts/common.ts";
import type { Filter } from "../../ui/filters.tsx";
import { Page } from "../../ui/page.tsx";
import { ResourceList } from "../../ui/resource-list.tsx";
import type { Column } from "../../ui/table.tsx";
import { Age } from "../../ui/time.tsx";
import { Uid } from "../../ui/uid.tsx";

const COLUMNS: readonly Column<AuditEntryJson>[] = [
  { header: texts.columns.time, sort: "time", cell: ({ time }) => <Age time={time} /> },
  {
    header: texts.columns.actor,
    cell: ({ actor }) => actor?.name || (actor?.uid ? <Uid uid={actor.uid} /> : auditTexts.system),
  },
  {
    header: texts.columns.action,
    cell: ({ method = "", changedFields = [] }) => (
      <>
        {method.split("/").at(-1)}
        {changedFields.length > 0 && <small className="soft">{changedFields.join(", ")}</small>}
      </>
    ),
  },
  {
    header: texts.columns.resource,
    cell: ({ resource }) => resource?.name || <Uid uid={resource?.uid ?? ""} />,
  },
  {
    header: texts.columns.outcome,
    cell: ({ code }) => (
      <span className={code ? "badge bad" : "badge good"}>
        {code ? auditTexts.failed : auditTexts.ok}
      </span>
    ),
  },
  { header: texts.columns.address, cell: ({ sourceAddress }) => sourceAddress, isExtra: true },
];

/** Who did what at a place and below it. */
export function Screen() {
  const { uid } = usePlace();
  const [search] = useListSearch();
  return (
    <Page
      title={texts.screens.audit}
      place={uid}
      command={{
        cli: `wharf audit list --resource ${uid}`,
        rest: `/audit/v2beta1/entries?filter.resource=${uid}`,
      }}
    >
      <ResourceList
        label={texts.screens.audit}
        method={api.audit.listEntries}
        request={{ filter: filterOf(uid, search) }}
        filters={FILTERS}
        rows={({ entries }) => entries}
        columns={COLUMNS}
        defaultSort="time desc"
        emptyTitle={auditTexts.empty}
        emptyText={auditTexts.emptyText}
      />
    </Page>
  );
}

const FILTERS: readonly Filter[] = [
  { name: "method", label: auditTexts.method, hint: auditTexts.methodHint },
  { name: "actor", label: auditTexts.actor },
  { name: "outcome", label: auditTexts.outcome, options: auditTexts.outcomes },
];

const OUTCOMES: Readonly<Record<string, NonNullable<AuditFilterJson["outcome"]>>> = {
  succeeded: "AUDIT_OUTCOME_SUCCEEDED",
  failed: "AUDIT_OUTCOME_FAILED",
};

function filterOf(resource: string, search: ListSearch): AuditFilterJson {
  const outcome = OUTCOMES[String(search.outcome ?? "")];
  return {
    resource,
    ...(search.method !== undefined && { method: String(search.method) }),
    ...(search.actor !== undefined && { actor: String(search.actor) }),
    ...(outcome !== undefined && { outcome }),
  };
}
