import { useQuery } from "@tanstack/react-query";
import type { EventJson } from "@wharf/contract/messages";
import { api, useRead } from "../../api/client.ts";
import { session } from "../../api/session.ts";
import { eventTexts } from "../../texts/events.ts";
import { Uid } from "../../ui/uid.tsx";

/** The names of types, without the beginning that all share. */
export function useTypeNames(): ReadonlyMap<string, string> {
  const { data } = useRead(api.events.listTypes, {});
  return new Map(data?.eventTypes?.map(({ type = "", name = "" }) => [type, name]));
}

/** The names of identities that the caller may see, by uid. */
export function useIdentityNames(uids: readonly (string | undefined)[]) {
  const ids = [...new Set(uids.filter((uid) => uid !== undefined && uid !== ""))].sort();
  const request = { uidp: { ids: ids as string[] }, pageSize: Math.max(ids.length, 1) };
  const { data } = useRead(api.identities.list, request, { enabled: ids.length > 0 });
  const me = useQuery({ queryKey: ["session"], queryFn: () => session() }).data;
  return new Map([
    ...(data?.identities ?? []).map(({ uid = "", name = "" }) => [uid, name] as const),
    ...(me === undefined ? [] : [[me.identity, me.name] as const]),
  ]);
}

/** The actor of an event: the name of the identity, else the e-mail address or subject of its token. */
export function Actor({
  event,
  names,
}: {
  readonly event: EventJson;
  readonly names: ReadonlyMap<string, string>;
}) {
  const { actor = "" } = event;
  if (actor === "") return eventTexts.service;
  return names.get(actor) || tokenName(event) || <Uid uid={actor} />;
}

/** The e-mail address or subject in the token of the actor. */
function tokenName({ data }: EventJson): string {
  const { actor } = (data ?? {}) as { readonly actor?: { readonly act?: unknown } };
  const { email, sub } = (actor?.act ?? {}) as Readonly<Record<string, unknown>>;
  const [name] = [email, sub].filter((one) => typeof one === "string" && one !== "");
  return typeof name === "string" ? name : "";
}
