import { useQueryClient } from "@tanstack/react-query";
import type { EventJson, EventTypeJson } from "@wharf/contract/messages";
import { useEffect, useState, useSyncExternalStore } from "react";
import { useAccess } from "./access.ts";
import { affectedBy } from "./affected.ts";
import { api, client, serviceOf, useRead } from "./client.ts";
import { patternsOf } from "./event-types.ts";
import type { LiveState } from "./live-stream.ts";
import { pause } from "./pause.ts";
import { session } from "./session.ts";
import { followShared } from "./shared-stream.ts";

/** A page that nobody looks at for this long stops its stream. */
const HIDDEN_MS = 5 * 60_000;

/** Throttles reloading: delay after the first event, and shortest interval. */
const SETTLE_MS = 300;
const THROTTLE_MS = 2_000;

/**
 * What was read this recently when the stream begins is not read again: a page would load everything twice. Rights are,
 * because one that was withdrawn meanwhile must not be offered.
 */
const RECENT_MS = 3_000;
const RIGHTS = serviceOf(api.auth.validate);

const listeners = new Set<(event: EventJson) => void>();
const watchers = new Set<() => void>();
let state: LiveState = "connecting";

function setState(next: LiveState): void {
  state = next;
  for (const watcher of watchers) watcher();
}

/** Whether events arrive at present. */
export function useLiveState(): LiveState {
  return useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
    () => state,
  );
}

/** Calls a function with every event of the organization, or as much of it as the caller may see. */
export function useLiveEvents(onEvent: (event: EventJson) => void): void {
  useEffect(() => {
    listeners.add(onEvent);
    return () => {
      listeners.delete(onEvent);
    };
  }, [onEvent]);
}

/**
 * Keeps all screens up to date without polling: one stream of the events of the organization that a group is in. An
 * event has the reads of the services that it concerns repeated. A stream that is denied means that rights have changed:
 * everything is read again.
 */
export function useLiveUpdates(path: readonly string[]): void {
  const cache = useQueryClient();
  const access = useAccess();
  const isShown = useIsShown();
  // The outermost group whose events the caller may read.
  const group = path.find((uid) => access.can("subscriptions.list", uid)) ?? "";
  const readable = useReadableEvents(group, path.length > 0);
  const { all: known, isKnown: isDecided } = readable;
  const wanted = isShown && readable.types.length > 0 ? group : "";
  const patterns = readable.patterns.join(" ");
  useEffect(() => {
    if (wanted === "") {
      setState(isDecided ? "off" : "connecting");
      return;
    }
    const stop = new AbortController();
    const collections = new Map(known.map(({ type = "", collection = "" }) => [type, collection]));
    const invalidation = new Invalidation((services) =>
      cache.invalidateQueries({ predicate: ({ queryKey }) => services.has(String(queryKey[0])) }),
    );
    const request = { group: wanted, ...(patterns !== "" && { types: patterns.split(" ") }) };
    const followed = {
      open: (after: string, onOpen: () => void, signal: AbortSignal) =>
        client.stream(api.events.watch, { ...request, after }, { signal, onOpen }),
      pause,
      idOf: ({ id = "" }: EventJson) => id,
      onEvent(event: EventJson) {
        for (const listener of listeners) listener(event);
        invalidation.add(affectedBy(collections.get(event.type ?? "") ?? ""));
      },
      onGap: () =>
        cache.invalidateQueries({
          predicate: ({ queryKey: [service], state: { dataUpdatedAt } }) =>
            service === RIGHTS || dataUpdatedAt < Date.now() - RECENT_MS,
        }),
      onState(next: LiveState) {
        setState(next);
        if (next === "denied") cache.invalidateQueries();
      },
    };
    session().then(({ identity }) =>
      followShared(`wharf-live ${identity} ${wanted} ${patterns}`, followed, stop.signal),
    );
    return () => {
      stop.abort();
      invalidation.stop();
    };
  }, [wanted, patterns, known, isDecided, cache]);
}

/** The types of events that the caller may read at a group. */
export interface ReadableEvents {
  /** All types that there are. */
  readonly all: readonly EventTypeJson[];
  readonly types: readonly EventTypeJson[];
  /** Patterns that select these types; empty if all types may be read. */
  readonly patterns: readonly string[];
  /** Whether rights and types have arrived. */
  readonly isKnown: boolean;
  /** The error of reading the types. */
  readonly error: Error | null;
}

const NONE: readonly EventTypeJson[] = [];

/** Reading events is reading what they are about: requests for types that the caller may not read are denied. */
export function useReadableEvents(group: string, isEnabled = true): ReadableEvents {
  const { can, isKnown } = useAccess();
  const { data, error } = useRead(api.events.listTypes, {}, { enabled: isEnabled });
  const all = data?.eventTypes ?? NONE;
  const types = all.filter(({ capabilities = [] }) => capabilities.every((one) => can(one, group)));
  const patterns = patternsOf(types, all);
  return { all, types, patterns, isKnown: isKnown && data !== undefined, error };
}

/** Collects the services whose reads are repeated, so that many events cause few requests. */
class Invalidation {
  readonly #invalidate: (services: ReadonlySet<string>) => void;
  #services = new Set<string>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #last = 0;

  constructor(invalidate: (services: ReadonlySet<string>) => void) {
    this.#invalidate = invalidate;
  }

  add(services: readonly string[]): void {
    for (const one of services) this.#services.add(one);
    const wait = Math.max(SETTLE_MS, this.#last + THROTTLE_MS - Date.now());
    this.#timer ??= setTimeout(() => this.#flush(), wait);
  }

  #flush(): void {
    this.#timer = undefined;
    this.#last = Date.now();
    const services = this.#services;
    this.#services = new Set();
    this.#invalidate(services);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}

/** Whether the page is visible, or was until some minutes ago. When it is shown again, all reads are repeated anyway. */
function useIsShown(): boolean {
  const [isShown, setShown] = useState(true);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const onChange = () => {
      clearTimeout(timer);
      if (document.hidden) timer = setTimeout(() => setShown(false), HIDDEN_MS);
      else setShown(true);
    };
    document.addEventListener("visibilitychange", onChange);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", onChange);
    };
  }, []);
  return isShown;
}
