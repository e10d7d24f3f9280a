import type { EventWithBody, LoggedEvent } from "../store/tables/events/event-log.ts";
import { eventTypes, publicTypeName } from "./event-types.ts";

/** Names of the installation in its events. */
export interface EventNames {
  /** Before the types of all events: `dev.chainguard`. */
  readonly typePrefix: string;
  /** The URL of the API. */
  readonly baseUrl: string;
  /** The host of the registry; empty without one. */
  readonly registryHost: string;
}

/** The attributes of a CloudEvent (1.0), with the extensions of the public contract. */
export interface Attributes {
  readonly id: string;
  readonly source: string;
  readonly specversion: "1.0";
  readonly type: string;
  readonly datacontenttype: "application/json";
  readonly subject: string;
  readonly time: string;
  readonly group: string;
  readonly actor: string;
  readonly audience: "customer";
  readonly bodytype: string;
}

/** The names that filters can use. */
export const ATTRIBUTE_NAMES: ReadonlySet<string> = new Set<keyof Attributes>([
  "id",
  "source",
  "specversion",
  "type",
  "datacontenttype",
  "subject",
  "time",
  "group",
  "actor",
  "audience",
  "bodytype",
]);

/** A stored event as a CloudEvent. */
export function attributesOf(event: LoggedEvent, names: EventNames): Attributes {
  return {
    id: event.eventId,
    source: sourceOf(event, names),
    specversion: "1.0",
    type: fullType(event.type, names),
    datacontenttype: "application/json",
    subject: event.subject,
    time: new Date(event.time).toISOString(),
    group: event.group,
    actor: event.actor,
    audience: "customer",
    bodytype: publicTypeName(event.bodyType),
  };
}

/** The type with the prefix of the installation. Traffic of registries is not caused by a method of the API. */
export function fullType(type: string, { typePrefix }: Pick<EventNames, "typePrefix">): string {
  const { path } = eventTypes().get(type) ?? { path: "/" };
  return path === "" ? `${typePrefix}.${type}` : `${typePrefix}.api.${type}`;
}

function sourceOf({ type, bodyType }: LoggedEvent, { baseUrl, registryHost }: EventNames): string {
  const eventType = eventTypes().get(type);
  // A host without a scheme, as receivers of the public contract expect.
  if (eventType?.path === "") return registryHost || new URL(baseUrl).host;
  const isV1 = /\.v1\./.test(bodyType);
  return baseUrl + ((isV1 ? eventType?.pathV1 : eventType?.path) ?? "");
}

/** The payload: who caused the event, and the message as JSON. */
export function payloadOf({ actor, act, body }: EventWithBody): string {
  const claims = act ? `,"act":${act}` : "";
  return `{"actor":{"subject":${JSON.stringify(actor)}${claims}},"body":${body}}`;
}
