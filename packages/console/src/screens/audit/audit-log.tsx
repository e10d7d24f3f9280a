import { Link } from "@tanstack/react-router";
import type { AuditEntryJson } from "@wharf/contract/messages";
import { useAccess } from "../../api/access.ts";
import { api, useRead } from "../../api/client.ts";
import { screenLink, useListSearch, useScreenLocation } from "../../app/location.ts";
import { auditTexts } from "../../texts/audit.ts";
import { texts } from "../../texts/common.ts";
import { Described } from "../../ui/described.tsx";
import { Empty } from "../../ui/feedback.tsx";
import { Filters } from "../../ui/filters.tsx";
import { Icon } from "../../ui/icons.tsx";
import { Page } from "../../ui/page.tsx";
import { type Column, PAGE_SIZE, Table, useListRequest } from "../../ui/table.tsx";
import { Age } from "../../ui/time.tsx";
import { Uid } from "../../ui/uid.tsx";
import { AuditChart } from "./audit-chart.tsx";
import { ExportDialog } from "./export-dialog.tsx";
import { FILTERS, filterOf, optionsOf } from "./filter.ts";
import { actionOf, OutcomeBadge } from "./outcome.tsx";
import { useAuditTail } from "./tail.ts";
import { VerifyPage } from "./verify-page.tsx";

/** The audit log of a group and its folders. */
export function Screen() {
  const { uid } = useScreenLocation();
  const [search] = useListSearch();
  const { can, isKnown } = useAccess();
  // The API lists what the caller may see: nothing, without an error.
  if (isKnown && !can("audit.list", uid)) return <NotAllowed uid={uid} />;
  if (search.verify !== undefined) return <VerifyPage group={uid} />;
  return <AuditLog uid={uid} />;
}

function NotAllowed({ uid }: { readonly uid: string }) {
  return (
    <Page title={texts.screens.audit} group={uid}>
      <Empty title={auditTexts.denied}>{auditTexts.deniedText}</Empty>
    </Page>
  );
}

const SORT = "time desc";

function AuditLog({ uid }: { readonly uid: string }) {
  const [search, setSearch] = useListSearch();
  const filter = filterOf(uid, search);
  const query = useRead(api.audit.listEntries, { filter, ...useListRequest(SORT) });
  const isNewest = search.page === undefined && (search.sort ?? SORT) === SORT;
  const isLive = search.live !== undefined && isNewest;
  const { entries: live, state } = useAuditTail(filter, isLive);
  const stored = query.data?.entries ?? [];
  const known = new Set(stored.map((entry) => entry.uid));
  const added = live.filter((entry) => !known.has(entry.uid));
  const isFiltered = FILTERS.some(({ name }) => search[name] !== undefined);
  const columns: readonly Column<AuditEntryJson>[] = [
    {
      header: texts.columns.action,
      cell: ({ uid: entry = "", method = "", changedFields = [] }) => (
        <Described text={changedFields.join(", ")}>
          <Link {...screenLink("audit-entry", `${uid}/${entry}`)} title={method}>
            {actionOf(method)}
          </Link>
        </Described>
      ),
    },
    {
      header: texts.columns.actor,
      cell: ({ actor }) =>
        actor?.name || (actor?.uid ? <Uid uid={actor.uid} /> : auditTexts.system),
    },
    {
      header: texts.columns.resource,
      cell: ({ resource }) => (
        <Described text={resource?.type}>
          {resource?.name || <Uid uid={resource?.uid ?? ""} />}
        </Described>
      ),
    },
    { header: texts.columns.outcome, cell: ({ code }) => <OutcomeBadge code={code} /> },
    { header: texts.columns.address, cell: ({ sourceAddress }) => sourceAddress, isExtra: true },
    { header: texts.columns.time, sort: "time", cell: ({ time }) => <Age time={time} /> },
  ];
  return (
    <Page
      title={texts.screens.audit}
      group={uid}
      command={{
        cli: `wharf audit ${isLive ? "watch" : "list"} ${optionsOf(filter)}`,
        rest: `/audit/v2beta1/entries?filter.resource=${filter.resource}`,
      }}
      actions={
        <>
          {isNewest && (
            <button
              type="button"
              className="button quiet"
              aria-pressed={isLive}
              onClick={() => setSearch({ live: isLive ? undefined : "yes" })}
            >
              <Icon name="bolt" />
              {isLive ? auditTexts.stopLive : auditTexts.live}
            </button>
          )}
          <ExportDialog filter={filter} />
          <Link
            {...screenLink("audit", uid)}
            search={{ verify: "yes" } as never}
            className="button quiet"
          >
            <Icon name="shield" />
            {auditTexts.verify.open}
          </Link>
        </>
      }
    >
      <Filters filters={FILTERS} />
      <details
        open={search.chart !== undefined}
        onToggle={({ currentTarget: { open } }) => {
          if (open !== (search.chart !== undefined)) setSearch({ chart: open ? "yes" : undefined });
        }}
      >
        <summary>{auditTexts.chart}</summary>
        {search.chart !== undefined && <AuditChart filter={filter} />}
      </details>
      {isLive && (
        <p className="soft" role="status">
          <span className={state === "live" ? "live" : undefined}>
            {auditTexts.liveText[state]}
          </span>
        </p>
      )}
      <Table
        label={texts.screens.audit}
        query={query}
        list={{
          rows: [...added, ...stored].slice(0, PAGE_SIZE),
          total: Number(query.data?.totalCount ?? 0) + added.length,
        }}
        columns={columns}
        keyOf={(entry) => entry.uid ?? ""}
        defaultSort={SORT}
        empty={
          isFiltered ? (
            <Empty title={texts.filters.nothing}>{texts.filters.nothingText}</Empty>
          ) : (
            <Empty title={auditTexts.empty}>{auditTexts.emptyText}</Empty>
          )
        }
      />
    </Page>
  );
}
