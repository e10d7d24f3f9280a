import { useQueryClient } from "@tanstack/react-query";
import type { EventJson, SubscriptionJson } from "@wharf/contract/messages";
import { useEffect, useState } from "react";
import { api, client, useRead } from "../../api/client.ts";
import { usePlace } from "../../app/place.ts";
import { texts } from "../../texts/common.ts";
import { eventTexts } from "../../texts/events.ts";
import { Empty, Failed, Loading } from "../../ui/feedback.tsx";
import { Page } from "../../ui/page.tsx";
import { type Column, Table, useListRequest } from "../../ui/table.tsx";
import { Age } from "../../ui/time.tsx";
import { Uid } from "../../ui/uid.tsx";

const SUBSCRIPTION_COLUMNS: readonly Column<SubscriptionJson>[] = [
  { header: texts.columns.sink, cell: ({ sink }) => <code>{sink}</code> },
  { header: texts.columns.state, cell: ({ state = "" }) => eventTexts.states[state] ?? state },
  {
    header: texts.columns.created,
    sort: "create_time",
    cell: ({ createTime }) => <Age time={createTime} />,
  },
];

const SHOWN_EVENTS = 50;

/** What happened at a place, as it happens, and where it is sent. */
export function Screen() {
  const { uid } = usePlace();
  const request = useListRequest("create_time desc");
  const query = useRead(api.subscriptions.list, { ...request, uidp: { descendantsOf: uid } });
  return (
    <Page
      title={texts.screens.events}
      place={uid}
      command={{ cli: `wharf events tail --group ${uid}`, rest: `/events/v2beta1/events/${uid}` }}
    >
      <section aria-labelledby="recent">
        <h2 id="recent">{eventTexts.recent}</h2>
        <Recent group={uid} />
      </section>
      <section aria-labelledby="subscriptions">
        <h2 id="subscriptions">{eventTexts.subscriptions}</h2>
        <Table
          label={eventTexts.subscriptions}
          query={query}
          list={{ rows: query.data?.subscriptions, total: Number(query.data?.totalCount ?? 0) }}
          columns={SUBSCRIPTION_COLUMNS}
          keyOf={(row) => row.uid ?? ""}
          defaultSort="create_time desc"
          empty={<Empty title={eventTexts.noSubscriptions}>{eventTexts.noSubscriptionsText}</Empty>}
        />
      </section>
    </Page>
  );
}

function Recent({ group }: { readonly group: string }) {
  const { data, error } = useRead(api.events.list, {
    group,
    pageSize: SHOWN_EVENTS,
    orderBy: "time desc",
  });
  const live = useLiveEvents(group);
  if (error !== null) return <Failed error={error} />;
  if (data === undefined) return <Loading />;
  const known = new Set(live.map(({ id }) => id));
  const shown = [...live, ...(data.events ?? []).filter(({ id }) => !known.has(id))];
  if (shown.length === 0) {
    return <Empty title={eventTexts.noEvents}>{eventTexts.noEventsText}</Empty>;
  }
  return (
    <div className="table-frame">
      <table aria-label={eventTexts.recent}>
        <thead>
          <tr>
            <th scope="col">{texts.columns.time}</th>
            <th scope="col">{texts.columns.type}</th>
            <th scope="col">{texts.columns.subject}</th>
          </tr>
        </thead>
        <tbody aria-live="polite">
          {shown.slice(0, SHOWN_EVENTS).map(({ id, time, type, subject }) => (
            <tr key={id}>
              <td data-label={texts.columns.time}>
                <Age time={time} />
              </td>
              <td data-label={texts.columns.type}>{type}</td>
              <td data-label={texts.columns.subject}>
                <Uid uid={subject ?? ""} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p className="pages">
        <span className="live">{eventTexts.live}</span> {eventTexts.liveText}
      </p>
    </div>
  );
}

/** Events of a group from now on, newest first. What changed is read again by every screen that shows it. */
function useLiveEvents(group: string): readonly EventJson[] {
  const [events, setEvents] = useState<readonly EventJson[]>([]);
  const cache = useQueryClient();
  useEffect(() => {
    const stop = new AbortController();
    setEvents([]);
    const listen = async () => {
      for await (const event of client.stream(api.events.watch, { group }, stop)) {
        if (event.id === undefined) continue;
        setEvents((previous) => [event, ...previous].slice(0, SHOWN_EVENTS));
        cache.invalidateQueries({
          predicate: ({ queryKey }) => queryKey[0] !== "/events/v2beta1/events",
        });
      }
    };
    // A stream ends with its rights or its server: the list below it stays as it is.
    listen().catch(() => {});
    return () => stop.abort();
  }, [group, cache]);
  return events;
}
