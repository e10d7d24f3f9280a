import type { IncomingHttpHeaders } from "node:http";
import { isDigest } from "../images/manifest.ts";
import {
  type Json,
  object,
  type RegistryNotification,
  readBody,
  readEvent,
  text,
} from "./envelope.ts";

/** The type of a body that has the event around what it tells. */
export const STRUCTURED = "application/cloudevents+json";

/** What zot tells of. What comes before can be set there; of the rest we take nothing in. */
const ACTIONS: Readonly<Record<string, RegistryNotification["action"]>> = {
  "image.updated": "push",
  "image.deleted": "delete",
};

/**
 * Reads an event as zot sends it: a CloudEvent, with its attributes in the headers or around the data.
 * Undefined for a request that is none.
 *
 * @example const notifications = readCloudEvent(request.headers, body, Date.now()) ?? readEnvelope(body, now);
 */
export function readCloudEvent(
  headers: IncomingHttpHeaders,
  body: Buffer,
  now: number,
): RegistryNotification[] | undefined {
  const isStructured = headers["content-type"]?.startsWith(STRUCTURED) ?? false;
  if (!isStructured && headers["ce-type"] === undefined) return undefined;
  const content = readBody(body);
  const { "ce-id": id, "ce-type": type, "ce-time": time } = headers;
  const event = isStructured ? content : { id, type, time, data: content };
  const notification = readEvent(asDistribution(event), now);
  return notification === undefined ? [] : [notification];
}

/** The same as CNCF Distribution would tell it. */
function asDistribution({ id, type, time, data }: Json): Json {
  const { name: repository, reference, digest, mediaType, actor, request } = object(data);
  const what = text(type).split(".").slice(-2).join(".");
  const tag = isDigest(reference) ? "" : reference;
  const url = `/v2/${text(repository)}/manifests/${text(reference)}`;
  const target = { repository, digest, mediaType, tag, url };
  return { id, timestamp: time, action: ACTIONS[what], target, actor, request };
}
