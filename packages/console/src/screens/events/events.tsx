import { Link } from "@tanstack/react-router";
import type { EventJson, ListEventsRequestJson } from "@wharf/contract/messages";
import { useCallback, useState } from "react";
import { useAccess } from "../../api/access.ts";
import { api, useRead } from "../../api/client.ts";
import { resourceOf } from "../../api/event-types.ts";
import {
  type ReadableEvents,
  useLiveEvents,
  useLiveState,
  useReadableEvents,
} from "../../api/live.ts";
import {
  type ListSearch,
  screenLink,
  useListSearch,
  useScreenLocation,
} from "../../app/location.ts";
import { texts } from "../../texts/common.ts";
import { eventTexts } from "../../texts/events.ts";
import { Empty, Failed } from "../../ui/feedback.tsx";
import { type Filter, Filters } from "../../ui/filters.tsx";
import { Page } from "../../ui/page.tsx";
import { type Column, PAGE_SIZE, Table, useCursorRequest } from "../../ui/table.tsx";
import { Age } from "../../ui/time.tsx";
import { isoTime } from "../../ui/times.ts";
import { Uid } from "../../ui/uid.tsx";
import { matchesEvent } from "./match.ts";
import { Actor, useIdentityNames, useTypeNames } from "./names.tsx";

/** The events of a group and its folders, past and live. */
export function Screen() {
  const { uid } = useScreenLocation();
  const [search] = useListSearch();
  const { can } = useAccess();
  const readable = useReadableEvents(uid);
  const chosen = filterOf(search);
  const isPartial = readable.patterns.length > 0;
  // A request for all types would be denied if some may not be read.
  const filter = { ...(isPartial && { types: [...readable.patterns] }), ...chosen };
  const request = { group: uid, orderBy: "time desc", ...filter, ...useCursorRequest() };
  const mayRead = can("subscriptions.list", uid) && readable.types.length > 0;
  const query = useRead(api.events.list, request, { enabled: readable.isKnown && mayRead });
  const typeNames = useTypeNames();
  const isNewest = search.cursor === undefined && filter.until === undefined;
  const live = useTail(uid, filter, isNewest);
  const stored = query.data?.events ?? [];
  const known = new Set(live.shown.map(({ id }) => id));
  const rows = [...live.shown, ...stored.filter(({ id }) => !known.has(id))].slice(0, PAGE_SIZE);
  const names = useIdentityNames(rows.map(({ actor }) => actor));
  const added = live.shown.filter(({ id }) => !stored.some((one) => one.id === id)).length;
  const columns: readonly Column<EventJson>[] = [
    {
      header: texts.columns.type,
      cell: ({ id = "", type = "", group = "" }) => (
        <Link {...screenLink("event", `${group || uid}/${id}`)} title={type}>
          {typeNames.get(type) ?? type}
        </Link>
      ),
    },
    { header: texts.columns.subject, cell: ({ subject = "" }) => <Uid uid={subject} /> },
    { header: texts.columns.actor, cell: (event) => <Actor event={event} names={names} /> },
    { header: texts.columns.time, cell: ({ time }) => <Age time={time} /> },
  ];
  const filters = useEventFilters(readable);
  if (readable.error !== null) {
    return (
      <Page title={texts.screens.events} group={uid}>
        <Failed error={readable.error} />
      </Page>
    );
  }
  if (readable.isKnown && !mayRead) {
    return (
      <Page title={texts.screens.events} group={uid}>
        <Empty title={eventTexts.denied}>{eventTexts.deniedText}</Empty>
      </Page>
    );
  }
  return (
    <Page
      title={texts.screens.events}
      group={uid}
      command={{ cli: commandOf(uid, filter), rest: `/events/v2beta1/events/${uid}` }}
      actions={isNewest && <PauseButton {...live} />}
    >
      <Filters filters={filters} />
      {isNewest && <LiveLine isPaused={live.isPaused} />}
      {isPartial && <p className="soft">{eventTexts.partial}</p>}
      <Table
        label={texts.screens.events}
        query={query}
        list={{ rows, total: Number(query.data?.totalCount ?? 0) + added }}
        columns={columns}
        keyOf={({ id = "" }) => id}
        older={query.data?.nextPageToken ?? ""}
        empty={
          Object.keys(chosen).length > 0 ? (
            <Empty title={texts.filters.nothing}>{texts.filters.nothingText}</Empty>
          ) : (
            <Empty title={eventTexts.noEvents}>{eventTexts.noEventsText}</Empty>
          )
        }
      />
    </Page>
  );
}

/** The fields of a request that the URL asks for. */
type EventsFilter = Omit<ListEventsRequestJson, "group" | "pageSize" | "pageToken" | "orderBy">;

function filterOf(search: ListSearch): EventsFilter {
  const text = (name: string) => (search[name] === undefined ? "" : String(search[name]));
  const [since, until] = [isoTime(text("since")), isoTime(text("until"))];
  return {
    ...(text("type") !== "" && { types: [text("type")] }),
    ...(text("subject") !== "" && { subject: text("subject") }),
    ...(text("actor") !== "" && { actor: text("actor") }),
    ...(since !== undefined && { since }),
    ...(until !== undefined && { until }),
  };
}

function useEventFilters({ all, types }: ReadableEvents): readonly Filter[] {
  const names = types.map(({ name = "" }) => name);
  const unreadable = all.filter((type) => !types.includes(type));
  const partial = new Set(unreadable.map(({ name = "" }) => resourceOf(name)));
  const whole = names.map(resourceOf).filter((resource) => !partial.has(resource));
  const resources = new Set(whole.map((resource) => `${resource}.*`));
  const options = Object.fromEntries([...resources, ...names].sort().map((one) => [one, one]));
  return [
    { name: "type", label: eventTexts.type, options },
    { name: "subject", label: eventTexts.subject, hint: eventTexts.subjectHint },
    { name: "actor", label: eventTexts.actor, hint: eventTexts.actorHint },
    { name: "since", label: eventTexts.since, type: "datetime-local" },
    { name: "until", label: eventTexts.until, type: "datetime-local" },
  ];
}

function commandOf(uid: string, { types, subject, actor }: EventsFilter): string {
  return [
    `wharf events tail --parent ${uid}`,
    ...(types ?? []).map((type) => `--type '${type}'`),
    ...(subject === undefined ? [] : [`--subject ${subject}`]),
    ...(actor === undefined ? [] : [`--actor ${actor}`]),
  ].join(" ");
}

interface Tail {
  readonly shown: readonly EventJson[];
  /** Events that arrived since it was paused. */
  readonly waiting: number;
  readonly isPaused: boolean;
  readonly toggle: () => void;
}

/** Events that match a filter, as they happen, newest first. Paused, they are counted. */
function useTail(group: string, filter: EventsFilter, isEnabled: boolean): Tail {
  const key = JSON.stringify([group, filter]);
  const [kept, setKept] = useState<{ key: string; events: readonly EventJson[]; at: number }>({
    ...{ key, events: [], at: 0 },
  });
  const [isPaused, setPaused] = useState(false);
  const isCurrent = kept.key === key && isEnabled;
  const onEvent = useCallback(
    (event: EventJson) => {
      const [within, conditions] = JSON.parse(key) as [string, EventsFilter];
      if (!matchesEvent(event, within, conditions)) return;
      setKept((previous) => {
        const events = previous.key === key ? previous.events : [];
        const at = previous.key === key ? previous.at : 0;
        const next = [event, ...events].slice(0, PAGE_SIZE);
        return { key, events: next, at: isPaused ? at + 1 : 0 };
      });
    },
    [key, isPaused],
  );
  useLiveEvents(onEvent);
  const waiting = isCurrent && isPaused ? kept.at : 0;
  return {
    shown: isCurrent ? kept.events.slice(waiting) : [],
    waiting,
    isPaused,
    toggle() {
      setPaused(!isPaused);
      setKept((previous) => ({ ...previous, at: 0 }));
    },
  };
}

function PauseButton({ isPaused, waiting, toggle }: Tail) {
  return (
    <button type="button" className="button quiet" aria-pressed={isPaused} onClick={toggle}>
      {isPaused ? eventTexts.resume : eventTexts.pause}
      {waiting > 0 && <span className="badge calm">{eventTexts.waiting(waiting)}</span>}
    </button>
  );
}

function LiveLine({ isPaused }: { readonly isPaused: boolean }) {
  const state = useLiveState();
  const isLive = state === "live" && !isPaused;
  return (
    <p className="soft" role="status">
      <span className={isLive ? "live" : undefined}>
        {isPaused ? eventTexts.live.paused : eventTexts.live[state]}
      </span>
    </p>
  );
}
