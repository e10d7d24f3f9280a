import type { AuditEntryJson, AuditFilterJson } from "@wharf/contract/messages";
import { api, useRead } from "../api/client.ts";
import { useListSearch, usePlace } from "../app/place.ts";
import { texts } from "../texts.ts";
import { Empty } from "../ui/feedback.tsx";
import { Page } from "../ui/page.tsx";
import { type Column, Table, useListRequest } from "../ui/table.tsx";
import { Age } from "../ui/time.tsx";
import { Uid } from "../ui/uid.tsx";

const COLUMNS: readonly Column<AuditEntryJson>[] = [
  { header: texts.columns.time, sort: "time", cell: ({ time }) => <Age time={time} /> },
  {
    header: texts.columns.actor,
    cell: ({ actor }) => actor?.name || (actor?.uid ? <Uid uid={actor.uid} /> : texts.audit.system),
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
        {code ? texts.audit.failed : texts.audit.ok}
      </span>
    ),
  },
  { header: texts.columns.address, cell: ({ sourceAddress }) => sourceAddress, isExtra: true },
];

/** Who did what at a place and below it. */
export function AuditLog() {
  const { uid } = usePlace();
  const request = useListRequest("time desc");
  const [search] = useListSearch();
  const query = useRead(api.audit.listEntries, { ...request, filter: filterOf(uid, search) });
  return (
    <Page
      title={texts.screens.audit}
      place={uid}
      command={{
        cli: `wharf audit list --resource ${uid}`,
        rest: `/audit/v2beta1/entries?filter.resource=${uid}`,
      }}
    >
      <Filters />
      <Table
        label={texts.screens.audit}
        query={query}
        list={{ rows: query.data?.entries, total: Number(query.data?.totalCount ?? 0) }}
        columns={COLUMNS}
        keyOf={(row) => row.uid ?? ""}
        defaultSort="time desc"
        empty={<Empty title={texts.audit.empty}>{texts.audit.emptyText}</Empty>}
      />
    </Page>
  );
}

const OUTCOMES: Readonly<Record<string, NonNullable<AuditFilterJson["outcome"]>>> = {
  succeeded: "AUDIT_OUTCOME_SUCCEEDED",
  failed: "AUDIT_OUTCOME_FAILED",
};

function filterOf(resource: string, search: Record<string, string | number>): AuditFilterJson {
  const outcome = OUTCOMES[String(search.outcome ?? "")];
  return {
    resource,
    ...(search.method !== undefined && { method: String(search.method) }),
    ...(search.actor !== undefined && { actor: String(search.actor) }),
    ...(outcome !== undefined && { outcome }),
  };
}

function Filters() {
  const [search, setSearch] = useListSearch();
  return (
    <search>
      <form
        className="filters"
        aria-label={texts.audit.filters}
        onSubmit={(event) => {
          event.preventDefault();
          const data = new FormData(event.currentTarget);
          const text = (name: string) => String(data.get(name) ?? "").trim();
          setSearch({ method: text("method"), actor: text("actor"), outcome: text("outcome") });
        }}
      >
        <label>
          {texts.audit.method}
          <input name="method" defaultValue={search.method} placeholder={texts.audit.methodHint} />
        </label>
        <label>
          {texts.audit.actor}
          <input name="actor" defaultValue={search.actor} />
        </label>
        <label>
          {texts.audit.outcome}
          <select name="outcome" defaultValue={search.outcome ?? ""}>
            {Object.entries(texts.audit.outcomes).map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
        </label>
        <button type="submit" className="button">
          {texts.audit.apply}
        </button>
      </form>
    </search>
  );
}
