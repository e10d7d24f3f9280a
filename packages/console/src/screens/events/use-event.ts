import { api, useRead } from "../../api/client.ts";

/** The event with an id, which is a version 7 UUID: it begins with the time, by which the log is searched. */
export function useEvent(group: string, id: string) {
  const time = Number.parseInt(id.replaceAll("-", "").slice(0, 12), 16);
  const isTime = Number.isFinite(time) && time < 8.64e15;
  const request = {
    group,
    filters: JSON.stringify([{ exact: { id } }]),
    pageSize: 1,
    ...(isTime && {
      since: new Date(time).toISOString(),
      until: new Date(time + 1).toISOString(),
    }),
  };
  const { data, error, isPending } = useRead(api.events.list, request, { enabled: id !== "" });
  return { event: data?.events?.[0], error, isPending };
}
