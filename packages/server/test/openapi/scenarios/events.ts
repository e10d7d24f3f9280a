import type { Receiver } from "../../support/events/receiver.ts";
import { until } from "../../support/until.ts";
import type { Recorder } from "../recorder.ts";

const TYPES = ["dev.chainguard.api.iam.group.created.v1"];
const FILTERS = [{ prefix: { type: "dev.chainguard.api.iam." } }];

/** Subscriptions, deliveries and streams of events. */
export async function events(record: Recorder, receiver: Receiver): Promise<void> {
  const { world } = record;
  const acme = await world.organization("acme");
  const subscriptions = (method: string) => `SubscriptionsService_${method}`;
  const sink = receiver.url;
  const { uid: path } = await record.body(subscriptions("CreateSubscription"), {
    path: acme,
    body: { sink, name: "access", filters: FILTERS },
  });
  await record.call(subscriptions("GetSubscription"), { path });
  await record.call(subscriptions("ListSubscriptions"), { query: { "uidp.children_of": acme } });
  await world.group(acme, "builds");
  await deliveries(record, path);
  await streams(record, acme);
  await record.call(subscriptions("TestSubscription"), { path, body: {} });
  await record.call(subscriptions("RotateSubscriptionSecret"), {
    path,
    body: { overlap: "3600s" },
  });
  await record.call(subscriptions("UpdateSubscription"), {
    path,
    body: { state: "SUBSCRIPTION_STATE_PAUSED" },
  });
  await record.call(subscriptions("DeleteSubscription"), { path });
  const v1 = (method: string) => `V1_Subscriptions_${method}`;
  const { id } = await record.body(v1("Create"), { path: acme, body: { sink } });
  await record.call(v1("List"), { query: { id } });
  await record.call(v1("Delete"), { path: id });
}

async function deliveries(record: Recorder, subscription: string): Promise<void> {
  const service = (method: string) => `DeliveriesService_${method}`;
  const list = `/events/v2beta1/deliveries/${subscription}`;
  const delivered = async () => {
    const [delivery] = (await record.world.http.get(list)).body.deliveries;
    return delivery?.state === "DELIVERY_STATE_DELIVERED" && delivery;
  };
  const { eventId } = await until(delivered);
  await record.call(service("ListDeliveries"), { path: subscription });
  const since = new Date(Date.now() - 3_600_000).toISOString();
  await record.call(service("GetDeliveryCounts"), {
    path: subscription,
    query: { since, intervals: "1" },
  });
  const body = { eventIds: [eventId] };
  await record.call(service("RedeliverEvents"), { path: subscription, body });
}

async function streams(record: Recorder, acme: string): Promise<void> {
  const service = (method: string) => `EventsService_${method}`;
  await record.call(service("ListEventTypes"));
  const platform = await record.world.group(acme, "platform");
  const list = await record.body(service("ListEvents"), {
    path: acme,
    query: { subject: platform },
  });
  await record.call(service("PreviewFilter"), { path: acme, body: { filters: FILTERS } });
  const watching = record.call(service("WatchEvents"), {
    path: acme,
    query: { types: TYPES, after: list.events[0].id },
  });
  await record.world.group(acme, "security");
  await watching;
}
