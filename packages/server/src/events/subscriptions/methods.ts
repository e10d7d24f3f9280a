import { create } from "@bufbuild/protobuf";
import { durationMs, timestampFromMs } from "@bufbuild/protobuf/wkt";
import {
  parentOf,
  type RotateSubscriptionSecretRequest,
  RotateSubscriptionSecretResponseSchema,
  type Subscription,
  SubscriptionsService,
  type TestSubscriptionRequest,
  TestSubscriptionResponseSchema,
} from "@wharf/contract";
import { audit } from "../../engine/audit/audit.ts";
import { Mutation, type WriteDeps } from "../../engine/write/mutation.ts";
import { invalidArgument, notFound } from "../../lib/errors.ts";
import { newEventId } from "../../lib/event-id.ts";
import type { Handler } from "../../rpc/call.ts";
import { messageReply } from "../../rpc/reply.ts";
import type { Secrets } from "../../secrets/secrets.ts";
import { writeEvent } from "../../store/tables/audit/audit-and-events.ts";
import { subscriptions } from "./definition.ts";
import { forgetSecrets, rotateSecret } from "./secrets.ts";

const HOUR_MS = 3_600_000;
const DEFAULT_OVERLAP_MS = 24 * HOUR_MS;
const MAX_OVERLAP_MS = 7 * 24 * HOUR_MS;

/** The methods of subscriptions beside the generic ones. */
export function subscriptionMethods(deps: WriteDeps, secrets: Secrets) {
  const { method } = SubscriptionsService;
  return [
    [method.testSubscription, testMethod(deps)],
    [method.rotateSubscriptionSecret, rotateMethod(deps, secrets)],
  ] as const;
}

/** Writes an event that goes to this subscription only (Matcher). */
function testMethod(deps: WriteDeps): Handler {
  return async (call, request) => {
    const { uid } = request as TestSubscriptionRequest;
    const eventId = newEventId(call.time);
    await deps.store.writeFor(call, async (tx) => {
      const mutation = new Mutation(call, tx, deps);
      const subscription = await found(mutation, uid);
      const body = subscriptions.eventBody(subscriptions.toRow(subscription));
      writeEvent(tx, {
        id: eventId,
        time: call.time,
        type: "events.subscription.tested.v1",
        subject: uid,
        group: parentOf(uid),
        actor: mutation.actor,
        act: call.act?.(),
        bodyType: body.type,
        body: body.json,
      });
      await audit(tx, call, { resource: uid });
    });
    return messageReply(
      TestSubscriptionResponseSchema,
      create(TestSubscriptionResponseSchema, { eventId }),
    );
  };
}

function rotateMethod(deps: WriteDeps, secrets: Secrets): Handler {
  return async (call, request) => {
    const { uid, overlap, remove } = request as RotateSubscriptionSecretRequest;
    const overlapMs = overlap === undefined ? DEFAULT_OVERLAP_MS : durationMs(overlap);
    if (overlapMs < 0 || overlapMs > MAX_OVERLAP_MS) {
      throw invalidArgument({ field: "overlap", description: "overlap must be from 0 to 7 days" });
    }
    const secret = await deps.store.writeFor(call, async (tx) => {
      const mutation = new Mutation(call, tx, deps);
      await mutation.confirmAccess(uid);
      const subscription = await found(mutation, uid);
      if (remove) {
        await forgetSecrets(secrets, tx, uid);
        delete subscription.secretTime;
      } else subscription.secretTime = timestampFromMs(call.time);
      const made = remove ? "" : await rotateSecret(secrets, tx, uid, call.time + overlapMs);
      await mutation.update(subscriptions, subscription, call.method);
      return made;
    });
    return messageReply(
      RotateSubscriptionSecretResponseSchema,
      create(RotateSubscriptionSecretResponseSchema, { secret }),
    );
  };
}

async function found({ tx }: Mutation, uid: string): Promise<Subscription> {
  const row = await subscriptions.table.findForChange(tx, uid);
  if (row === undefined) throw notFound(subscriptions.typeName, uid);
  return subscriptions.fromRow(row);
}
