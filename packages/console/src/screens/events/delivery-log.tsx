import { Link } from "@tanstack/react-router";
import type { DeliveryJson, DeliveryStateJson } from "@wharf/contract/messages";
import { useState } from "react";
import { api, useChange, useRead } from "../../api/client.ts";
import { screenLink, useListSearch } from "../../app/location.ts";
import { texts } from "../../texts/common.ts";
import { deliveryTexts } from "../../texts/subscriptions.ts";
import { Described } from "../../ui/described.tsx";
import { Empty } from "../../ui/feedback.tsx";
import { SelectField } from "../../ui/fields.tsx";
import { type Filter, Filters } from "../../ui/filters.tsx";
import { FormDialog } from "../../ui/form.tsx";
import { type Column, Table, useCursorRequest } from "../../ui/table.tsx";
import { Age } from "../../ui/time.tsx";
import { toast, toastError } from "../../ui/toast.tsx";
import { Uid } from "../../ui/uid.tsx";
import { answerOf, DeliveryBadge } from "./delivery-state.tsx";
import { useDeliveryUpdates } from "./delivery-updates.ts";
import { useTypeNames } from "./names.tsx";

const FILTERS: readonly Filter[] = [
  { name: "state", label: deliveryTexts.state, options: deliveryTexts.states },
  { name: "event", label: deliveryTexts.event },
];

const STATES: ReadonlyMap<string, DeliveryStateJson> = new Map([
  ["pending", "DELIVERY_STATE_PENDING"],
  ["delivered", "DELIVERY_STATE_DELIVERED"],
  ["failed", "DELIVERY_STATE_FAILED"],
]);

/** The deliveries of a subscription, with their responses and redelivery. */
export function DeliveryLog({
  subscription,
  canUpdate,
}: {
  readonly subscription: string;
  readonly canUpdate: boolean;
}) {
  const [search] = useListSearch();
  const state = STATES.get(String(search.state ?? ""));
  const query = useRead(api.deliveries.list, {
    subscriptionUid: subscription,
    ...(state !== undefined && { state }),
    ...(search.event !== undefined && { eventId: String(search.event) }),
    ...useCursorRequest(),
  });
  const deliveries = query.data?.deliveries ?? [];
  useDeliveryUpdates(deliveries);
  const typeNames = useTypeNames();
  // Types of events that the user may not read are empty.
  const nameOf = (type: string, eventId: string) => typeNames.get(type) ?? (type || eventId);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const toggle = (eventId: string) => {
    const next = new Set(selected);
    if (!next.delete(eventId)) next.add(eventId);
    setSelected(next);
  };
  const columns: readonly Column<DeliveryJson>[] = [
    {
      header: texts.columns.type,
      cell: ({ id = "", eventId = "", type = "", replay }) => (
        <span className="with-check">
          {canUpdate && (
            <input
              type="checkbox"
              checked={selected.has(eventId)}
              aria-label={deliveryTexts.selectOne(nameOf(type, eventId))}
              onChange={() => toggle(eventId)}
            />
          )}
          <Described text={replay ? deliveryTexts.replay : undefined}>
            <Link
              {...screenLink("delivery", `${subscription}/${id}`)}
              search={{ event: eventId } as never}
              title={type}
            >
              {nameOf(type, eventId)}
            </Link>
          </Described>
        </span>
      ),
    },
    { header: texts.columns.state, cell: ({ state: at = "" }) => <DeliveryBadge state={at} /> },
    { header: deliveryTexts.answer, cell: ({ attempts = [] }) => answerOf(attempts.at(-1)) },
    { header: deliveryTexts.attempts, cell: ({ attempts = [] }) => attempts.length, isExtra: true },
    {
      header: texts.columns.subject,
      cell: ({ subject = "" }) => <Uid uid={subject} />,
      isExtra: true,
    },
    { header: texts.columns.time, cell: ({ createTime }) => <Age time={createTime} /> },
    {
      header: deliveryTexts.next,
      cell: ({ nextAttemptTime }) => nextAttemptTime && <Age time={nextAttemptTime} />,
    },
  ];
  const isFiltered = FILTERS.some(({ name }) => search[name] !== undefined);
  return (
    <section aria-labelledby="deliveries">
      <div className="page-head">
        <h2 id="deliveries">{deliveryTexts.title}</h2>
        {canUpdate && (
          <Replay
            subscription={subscription}
            selected={selected}
            onDone={() => setSelected(new Set())}
          />
        )}
      </div>
      <Filters filters={FILTERS} />
      <Table
        label={deliveryTexts.title}
        query={query}
        list={{ rows: deliveries, total: Number(query.data?.totalCount ?? 0) }}
        columns={columns}
        keyOf={({ id = "" }) => id}
        older={query.data?.nextPageToken ?? ""}
        empty={
          isFiltered ? (
            <Empty title={texts.filters.nothing}>{texts.filters.nothingText}</Empty>
          ) : (
            <Empty title={deliveryTexts.empty}>{deliveryTexts.emptyText}</Empty>
          )
        }
      />
    </section>
  );
}

const DAY_MS = 86_400_000;

function Replay({
  subscription,
  selected,
  onDone,
}: {
  readonly subscription: string;
  readonly selected: ReadonlySet<string>;
  readonly onDone: () => void;
}) {
  const redeliver = useChange(api.deliveries.redeliverEvents, [api.subscriptions.get]);
  const again = () =>
    redeliver
      .mutateAsync({ subscriptionUid: subscription, eventIds: [...selected] })
      .then(({ count = 0 }) => {
        toast(deliveryTexts.sent(count));
        onDone();
      }, toastError);
  const canSend = selected.size > 0 && !redeliver.isPending;
  const allFailed = async (days: string) => {
    const since = new Date(Date.now() - Number(days) * DAY_MS).toISOString();
    let sent = 0;
    let pageToken = "";
    do {
      const request = { subscriptionUid: subscription, since, onlyFailed: true, pageToken };
      const { count = 0, nextPageToken = "" } = await redeliver.mutateAsync(request);
      sent += count;
      pageToken = nextPageToken;
    } while (pageToken !== "");
    return { message: deliveryTexts.sent(sent) };
  };
  return (
    <div className="actions">
      <button
        type="button"
        className="button quiet"
        aria-disabled={!canSend}
        onClick={() => canSend && again()}
      >
        {deliveryTexts.again(selected.size)}
      </button>
      <FormDialog
        title={deliveryTexts.againTitle}
        submit={deliveryTexts.againFailed}
        className="button quiet"
        onSubmit={(text) => allFailed(text("days"))}
      >
        <p>{deliveryTexts.againText}</p>
        <SelectField
          name="days"
          label={deliveryTexts.againSince}
          options={deliveryTexts.ranges}
          value="7"
        />
      </FormDialog>
    </div>
  );
}
