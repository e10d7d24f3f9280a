import type { AuditEntryJson } from "@wharf/contract/messages";
import { useAccess } from "../../api/access.ts";
import { api } from "../../api/client.ts";
import { useListSearch } from "../../app/location.ts";
import { texts } from "../../texts/common.ts";
import { activityTexts } from "../../texts/registry.ts";
import { Digest } from "../../ui/digest.tsx";
import type { Filter } from "../../ui/filters.tsx";
import { ResourceList } from "../../ui/resource-list.tsx";
import type { Column } from "../../ui/table.tsx";
import { Age } from "../../ui/time.tsx";
import { Uid } from "../../ui/uid.tsx";
import { ActivityChart } from "./activity-chart.tsx";

const FILTERS: readonly Filter[] = [
  { name: "action", label: activityTexts.action, options: activityTexts.choices },
];

const COLUMNS: readonly Column<AuditEntryJson>[] = [
  { header: texts.columns.time, sort: "time", cell: ({ time }) => <Age time={time} /> },
  {
    header: activityTexts.action,
    cell: ({ method = "" }) => activityTexts.actions[method] ?? method,
  },
  { header: activityTexts.what, cell: (entry) => <What entry={entry} /> },
  {
    header: texts.columns.actor,
    cell: ({ actor }) =>
      actor?.name || (actor?.uid ? <Uid uid={actor.uid} /> : activityTexts.anonymous),
  },
  { header: texts.columns.address, cell: ({ sourceAddress }) => sourceAddress, isExtra: true },
  { header: texts.columns.device, cell: ({ userAgent }) => userAgent, isExtra: true },
];

/** The last pushes and pulls of a repo, or of all repos of a group, and how many there were. */
export function Activity({ resource }: { readonly resource: string }) {
  const { can, isKnown } = useAccess();
  const [{ action }] = useListSearch();
  if (isKnown && !can("audit.list", resource)) return <p>{activityTexts.denied}</p>;
  return (
    <>
      <ActivityChart resource={resource} />
      <ResourceList
        label={activityTexts.chart}
        method={api.audit.listEntries}
        request={{
          filter: { resource, method: action === undefined ? "registry *" : String(action) },
        }}
        filters={FILTERS}
        rows={({ entries }) => entries}
        columns={COLUMNS}
        defaultSort="time desc"
        emptyTitle={activityTexts.empty}
        emptyText={activityTexts.emptyText}
      />
    </>
  );
}

/** The image of an entry, under the name that it was pushed or pulled by. */
function What({ entry: { resource, detail } }: { readonly entry: AuditEntryJson }) {
  const { repository, tag, digest, movedUniqueTag } = (detail ?? {}) as Readonly<
    Record<string, string | undefined>
  >;
  return (
    <>
      {repository || resource?.name}
      {tag && `:${tag}`}{" "}
      {digest && <Digest digest={digest} {...(resource?.uid && { repo: resource.uid })} />}
      {movedUniqueTag && <span className="badge bad">{activityTexts.movedUnique}</span>}
    </>
  );
}
