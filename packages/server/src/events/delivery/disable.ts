import { parentOf, SubscriptionState } from "@wharf/contract";
import { OPERATOR_UID } from "../../auth/caller.ts";
import { newEventId } from "../../lib/event-id.ts";
import type { Store } from "../../store/db/store.ts";
import { writeAudit, writeEvent } from "../../store/tables/audit/audit-and-events.ts";
import { failPending } from "../../store/tables/events/deliveries.ts";
import { subscriptions } from "../subscriptions/definition.ts";

/**
 * Disables a subscription on behalf of the service: its sink is gone, or the identity behind it has lost its rights. An
 * event and an audit entry say why. Does nothing if it is not active any more.
 */
export async function disable(store: Store, uid: string, reason: string): Promise<void> {
  const time = Date.now();
  await store.write(async (tx) => {
    const row = await subscriptions.table.findForChange(tx, uid);
    const subscription = row && subscriptions.fromRow(row);
    if (subscription?.state !== SubscriptionState.ACTIVE) return;
    subscription.state = SubscriptionState.DISABLED;
    subscription.stateReason = reason;
    const updated = subscriptions.toRow(subscription);
    await subscriptions.table.update(tx, updated);
    tx.accessChanged();
    await failPending(tx, uid);
    const body = subscriptions.eventBody(updated);
    writeEvent(tx, {
      id: newEventId(time),
      time,
      type: "events.subscription.disabled.v1",
      subject: uid,
      group: parentOf(uid),
      actor: OPERATOR_UID,
      bodyType: body.type,
      body: body.json,
    });
    writeAudit(tx, {
      time,
      actor: OPERATOR_UID,
      method: "subscription disabled",
      resource: uid,
      requestId: "",
      remoteAddress: "",
      userAgent: "",
      code: 0,
      detail: JSON.stringify({ reason, authorizedBy: subscription.authorizedBy }),
    });
  });
}
