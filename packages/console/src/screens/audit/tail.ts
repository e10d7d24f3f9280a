import { useQueryClient } from "@tanstack/react-query";
import type { AuditEntryJson, AuditFilterJson } from "@wharf/contract/messages";
import { useEffect, useState } from "react";
import { api, client, serviceOf } from "../../api/client.ts";
import { follow, type LiveState } from "../../api/live-stream.ts";
import { pause } from "../../api/pause.ts";
import { PAGE_SIZE } from "../../ui/table.tsx";

/** Entries that match a filter, as they are recorded, newest first. */
export function useAuditTail(
  filter: AuditFilterJson,
  isEnabled: boolean,
): { readonly entries: readonly AuditEntryJson[]; readonly state: LiveState } {
  const [entries, setEntries] = useState<readonly AuditEntryJson[]>([]);
  const [state, setState] = useState<LiveState>("off");
  const cache = useQueryClient();
  const key = JSON.stringify(filter);
  useEffect(() => {
    setEntries([]);
    if (!isEnabled) return;
    const stop = new AbortController();
    const wanted = JSON.parse(key) as AuditFilterJson;
    const followed = {
      open: (after: string, onOpen: () => void, signal: AbortSignal) =>
        client.stream(api.audit.watchEntries, { filter: wanted, after }, { signal, onOpen }),
      pause,
      idOf: ({ uid = "" }: AuditEntryJson) => uid,
      onEvent: (entry: AuditEntryJson) =>
        setEntries((previous) => [entry, ...previous].slice(0, PAGE_SIZE)),
      onGap: () => cache.invalidateQueries({ queryKey: [serviceOf(api.audit.listEntries)] }),
      onState: setState,
    };
    follow(followed, "", stop.signal);
    return () => stop.abort();
  }, [key, isEnabled, cache]);
  return { entries, state };
}
