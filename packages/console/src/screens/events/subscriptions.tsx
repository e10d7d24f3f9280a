import { Link } from "@tanstack/react-router";
import type { SubscriptionJson } from "@wharf/contract/messages";
import { useAccess } from "../../api/access.ts";
import { api } from "../../api/client.ts";
import { isFailing } from "../../api/failing.ts";
import { screenLink, useListSearch, useScreenLocation } from "../../app/location.ts";
import { texts } from "../../texts/common.ts";
import { subscriptionTexts } from "../../texts/subscriptions.ts";
import { CREATED } from "../../ui/created-column.tsx";
import { Described } from "../../ui/described.tsx";
import { Icon } from "../../ui/icons.tsx";
import { Page } from "../../ui/page.tsx";
import { ResourceList } from "../../ui/resource-list.tsx";
import type { Column } from "../../ui/table.tsx";
import { Withheld } from "../../ui/withheld.tsx";
import { DeliveryChart } from "./delivery-chart.tsx";
import { FilterSummary } from "./filter-summary.tsx";
import { StateBadge } from "./state-badge.tsx";
import { SubscriptionEditor } from "./subscription-editor.tsx";

const COLUMNS: readonly Column<SubscriptionJson>[] = [
  {
    header: texts.columns.name,
    cell: ({ uid = "", name, sink = "" }) => (
      <Described text={name ? sink : undefined}>
        <Link {...screenLink("subscription", uid)}>{name || sink}</Link>
      </Described>
    ),
  },
  {
    header: subscriptionTexts.events,
    cell: ({ filters = [] }) => <FilterSummary filters={filters} />,
  },
  { header: texts.columns.state, cell: (row) => <StateBadge subscription={row} /> },
  { ...CREATED, isExtra: true },
];

/** The subscriptions of a group. */
export function Screen() {
  const { uid } = useScreenLocation();
  const [search] = useListSearch();
  const { can } = useAccess();
  if (search.create !== undefined && can("subscriptions.create", uid)) {
    return <SubscriptionEditor group={uid} />;
  }
  const create = <CreateLink uid={uid} />;
  return (
    <Page
      title={texts.screens.subscriptions}
      group={uid}
      command={{
        cli: `wharf events subscriptions list --parent ${uid} --recursive`,
        rest: `/events/v2beta1/subscriptions?uidp.descendants_of=${uid}`,
      }}
      actions={create}
    >
      <DeliveryChart uid={uid} />
      <ResourceList
        label={texts.screens.subscriptions}
        method={api.subscriptions.list}
        request={{ uidp: { descendantsOf: uid } }}
        rows={({ subscriptions = [] }) => failingFirst(subscriptions)}
        columns={COLUMNS}
        defaultSort="create_time desc"
        emptyTitle={subscriptionTexts.empty}
        emptyText={subscriptionTexts.emptyText}
        emptyAction={create}
      />
    </Page>
  );
}

/** Of one page: the server orders by columns only. */
function failingFirst(subscriptions: readonly SubscriptionJson[]): SubscriptionJson[] {
  return subscriptions.toSorted((a, b) => Number(isFailing(b)) - Number(isFailing(a)));
}

function CreateLink({ uid }: { readonly uid: string }) {
  const { can } = useAccess();
  if (!can("subscriptions.create", uid)) {
    return <Withheld label={subscriptionTexts.create} capability="subscriptions.create" />;
  }
  return (
    <Link
      {...screenLink("subscriptions", uid)}
      search={{ create: "yes" } as never}
      className="button"
    >
      <Icon name="plus" />
      {subscriptionTexts.create}
    </Link>
  );
}
