import { create } from "@bufbuild/protobuf";
import { type Subscription, SubscriptionsService } from "@wharf/contract";
import { subscriptionsV1 } from "@wharf/contract/v1";
import { filterOf } from "../../rpc/v1/filter.ts";
import { type AdaptedMethod, adapt, type Invoke } from "../adapter.ts";
import { adaptList } from "../list.ts";

const { Subscriptions, SubscriptionSchema } = subscriptionsV1;

/** The version 1 methods of subscriptions. */
export function subscriptionMethods(invoke: Invoke): AdaptedMethod[] {
  return [
    adapt(invoke, {
      method: Subscriptions.method.create,
      target: SubscriptionsService.method.createSubscription,
      request: ({ parentId, subscription }) => ({
        parent: parentId,
        subscription: { sink: subscription?.sink ?? "" },
      }),
      response: subscriptionV1,
      names: { parent: "parentId", sink: "subscription.sink" },
    }),
    adaptList(invoke, {
      method: Subscriptions.method.list,
      target: SubscriptionsService.method.listSubscriptions,
      request({ id, uidp }) {
        const filter = filterOf(id, uidp);
        return filter && { uidp: filter };
      },
      items: ({ subscriptions }) => subscriptions,
      item: subscriptionV1,
    }),
    adapt(invoke, {
      method: Subscriptions.method.delete,
      target: SubscriptionsService.method.deleteSubscription,
      request: ({ id }) => ({ uid: id }),
      names: { uid: "id" },
    }),
  ];
}

/** Translates a subscription to version 1. */
export function subscriptionV1({ uid, sink }: Subscription): subscriptionsV1.Subscription {
  return create(SubscriptionSchema, { id: uid, sink });
}
