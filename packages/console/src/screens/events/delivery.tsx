import { Link } from "@tanstack/react-router";
import type { DeliveryAttemptJson, EventJson } from "@wharf/contract/messages";
import { api, useRead } from "../../api/client.ts";
import { parentOf, screenLink, useListSearch, useScreenLocation } from "../../app/location.ts";
import { texts } from "../../texts/common.ts";
import { eventTexts } from "../../texts/events.ts";
import { deliveryTexts, subscriptionTexts } from "../../texts/subscriptions.ts";
import { Code } from "../../ui/code.tsx";
import { Facts } from "../../ui/facts.tsx";
import { Empty, Failed, Loading } from "../../ui/feedback.tsx";
import { Page } from "../../ui/page.tsx";
import { Age } from "../../ui/time.tsx";
import { answerOf, DeliveryBadge } from "./delivery-state.tsx";
import { useDeliveryUpdates } from "./delivery-updates.ts";
import { useTypeNames } from "./names.tsx";
import { nameOf } from "./subscription-editor.tsx";
import { useEvent } from "./use-event.ts";

/** One delivery: the request, and every answer to it. */
export function Screen() {
  const { uid: group, resource } = useScreenLocation();
  const subscriptionUid = parentOf(resource);
  const id = resource.slice(subscriptionUid.length + 1);
  const [search] = useListSearch();
  const eventId = String(search.event ?? "");
  const { data, error } = useRead(api.deliveries.list, {
    subscriptionUid,
    ...(eventId !== "" && { eventId }),
  });
  const subscription = useRead(api.subscriptions.get, { uid: subscriptionUid });
  const delivery = data?.deliveries?.find((one) => one.id === id);
  useDeliveryUpdates(delivery === undefined ? [] : [delivery]);
  const { event, isPending } = useEvent(group, delivery?.eventId ?? "");
  const typeNames = useTypeNames();
  const type = delivery?.type ?? "";
  return (
    <Page
      title={typeNames.get(type) ?? (type || deliveryTexts.one)}
      group={group}
      command={{
        cli: `wharf events deliveries ${subscriptionUid} --event ${eventId || "ID"} -o json`,
        rest: `/events/v2beta1/deliveries/${subscriptionUid}?event_id=${eventId}`,
      }}
    >
      <p>
        <Link {...screenLink("subscription", subscriptionUid)}>
          {subscription.data ? nameOf(subscription.data) : texts.screens.subscriptions}
        </Link>
      </p>
      {error !== null && <Failed error={error} />}
      {error === null && data === undefined && <Loading />}
      {data !== undefined && delivery === undefined && (
        <Empty title={texts.notFound.title}>{deliveryTexts.missing}</Empty>
      )}
      {delivery !== undefined && (
        <>
          <Facts
            facts={{
              [texts.columns.state]: <DeliveryBadge state={delivery.state ?? ""} />,
              [texts.columns.created]: <Age time={delivery.createTime} />,
              [deliveryTexts.next]: delivery.nextAttemptTime && (
                <Age time={delivery.nextAttemptTime} />
              ),
              [eventTexts.one.title]: (
                <Link {...screenLink("event", `${event?.group ?? group}/${delivery.eventId}`)}>
                  <code>{delivery.eventId}</code>
                </Link>
              ),
              [subscriptionTexts.sink]: <code>{subscription.data?.sink}</code>,
            }}
          />
          <section aria-labelledby="request">
            <h2 id="request">{deliveryTexts.request}</h2>
            {event === undefined ? (
              <p className="soft">{isPending ? texts.loading : deliveryTexts.expired}</p>
            ) : (
              <>
                <p className="soft">{deliveryTexts.requestText}</p>
                <Code text={requestText(subscription.data?.sink ?? "", event, delivery.replay)} />
              </>
            )}
          </section>
          {(delivery.attempts ?? [])
            .map((attempt, at) => (
              <Attempt key={attempt.time ?? at} attempt={attempt} number={at + 1} />
            ))
            .reverse()}
        </>
      )}
    </Page>
  );
}

function Attempt({
  attempt,
  number,
}: {
  readonly attempt: DeliveryAttemptJson;
  readonly number: number;
}) {
  const id = `attempt-${number}`;
  const { error, response = "" } = attempt;
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>{deliveryTexts.response(number)}</h2>
      <p>
        {answerOf(attempt)}{" "}
        <span className="soft">
          · <Age time={attempt.time} />
        </span>
      </p>
      {error ? (
        <p className="soft">{deliveryTexts.noResponse}</p>
      ) : (
        <Code text={response || deliveryTexts.emptyResponse} />
      )}
    </section>
  );
}

/** The request as it is sent: a CloudEvent in binary mode. */
function requestText(sink: string, event: EventJson, isReplay = false): string {
  const { data, datacontenttype, ...attributes } = event;
  const headers = Object.entries(attributes).filter(([, value]) => value !== "");
  const url = URL.parse(sink);
  return [
    `POST ${url === null ? sink : url.pathname + url.search} HTTP/1.1`,
    ...(url === null ? [] : [`host: ${url.host}`]),
    `content-type: ${datacontenttype}`,
    ...headers.map(([name, value]) => `ce-${name}: ${value}`),
    ...(isReplay ? ["ce-replay: true"] : []),
    `webhook-id: ${event.id}`,
    "",
    JSON.stringify(data, null, 2),
  ].join("\n");
}
