import { VERSION } from "../../lib/version.ts";
import type { StoredDelivery } from "../../store/tables/events/deliveries.ts";
import type { EventWithBody } from "../../store/tables/events/event-log.ts";
import { attributesOf, type EventNames, payloadOf } from "../cloud-event.ts";
import type { Current } from "./context.ts";
import type { WebhookSigner } from "./signing.ts";

/** The request of a delivery: a CloudEvent in binary mode, with its proofs. */
export function deliveryRequest(
  { group, secrets }: Current,
  { replay }: StoredDelivery,
  event: EventWithBody,
  names: EventNames,
  signer: WebhookSigner,
  now: number,
): { readonly headers: Record<string, string>; readonly body: string } {
  const { datacontenttype, ...attributes } = attributesOf(event, names);
  const body = payloadOf(event);
  const headers: Record<string, string> = {
    "content-type": datacontenttype,
    "user-agent": `Wharf/${VERSION}`,
    ...signer.headers(group, event.eventId, body, secrets, now),
  };
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== "") headers[`ce-${name}`] = headerValue(value);
  }
  if (replay !== 0) headers["ce-replay"] = "true";
  return { headers, body };
}

/** CloudEvents in HTTP headers: characters beyond printable ASCII are percent-encoded, and so are quotes and percent. */
function headerValue(text: string): string {
  return text.replaceAll(/[^\x21\x23\x24\x26-\x7e]/gu, (character) =>
    encodeURIComponent(character),
  );
}
