import { useQueryClient } from "@tanstack/react-query";
import type { DeliveryJson } from "@wharf/contract/messages";
import { useCallback, useEffect } from "react";
import { api, serviceOf } from "../../api/client.ts";
import { useLiveEvents } from "../../api/live.ts";

/** An event is delivered soon after it happened: the log is read again after these times. */
const AFTER_EVENT_MS = [500, 3_000];

/** The log is read again this long after an attempt was due. */
const AFTER_ATTEMPT_MS = 1_500;

/** The longest time that a timer of browsers takes. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Deliveries are not events themselves. So the log is read again after an event, and when the next attempt is due. */
export function useDeliveryUpdates(deliveries: readonly DeliveryJson[]): void {
  const cache = useQueryClient();
  const refresh = useCallback(() => {
    for (const method of [api.deliveries.list, api.subscriptions.get]) {
      cache.invalidateQueries({ queryKey: [serviceOf(method)] });
    }
  }, [cache]);
  useLiveEvents(
    useCallback(() => {
      for (const ms of AFTER_EVENT_MS) setTimeout(refresh, ms);
    }, [refresh]),
  );
  const [next] = deliveries.flatMap(({ nextAttemptTime }) => nextAttemptTime ?? []).sort();
  useEffect(() => {
    if (next === undefined) return;
    const wait = Math.max(0, Date.parse(next) - Date.now()) + AFTER_ATTEMPT_MS;
    const timer = setTimeout(refresh, Math.min(wait, MAX_TIMER_MS));
    return () => clearTimeout(timer);
  }, [next, refresh]);
}
