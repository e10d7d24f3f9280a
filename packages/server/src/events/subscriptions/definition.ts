import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import {
  parentOf,
  type Subscription,
  SubscriptionHealthSchema,
  SubscriptionSchema,
  SubscriptionState,
  SubscriptionsService,
} from "@wharf/contract";
import { Resource } from "../../engine/resource.ts";
import type { Mutation } from "../../engine/write/mutation.ts";
import { type FieldViolation, failedPrecondition, invalidArgument } from "../../lib/errors.ts";
import type { Reader } from "../../store/db/connection.ts";
import { countPending } from "../../store/tables/events/deliveries.ts";
import { currentPosition } from "../../store/tables/events/event-log.ts";
import {
  addSubscriptionState,
  deleteSubscriptionState,
  markDue,
  readHealth,
  readHealths,
  writeHealth,
} from "../../store/tables/events/subscription-states.ts";
import { filterViolations } from "../filters.ts";
import { capabilitiesFor, missingOf, mustRead } from "../rights.ts";
import type { EventsDeps } from "./deps.ts";
import { forgetSecrets } from "./secrets.ts";
import { enforceSinkQuota } from "./sink-quota.ts";

const { ACTIVE, DISABLED, UNSPECIFIED } = SubscriptionState;

/** In order, and at most one request is repeated after a kill. */
const DEFAULT_CONCURRENCY = 1;
const MAX_CONCURRENCY = 64;

/**
 * Subscriptions: events of a group, and of everything below it, are sent to a URL. Changes count as changes of access,
 * because a subscription is a reading channel: every sender sees them before its next request.
 */
export const subscriptions: Resource<Subscription> = new Resource({
  service: SubscriptionsService,
  schema: SubscriptionSchema,
  table: "subscriptions",
  changesAccess: true,
  quota: "subscriptions",
  // A sink can have a token in its URL; filters and descriptions are of no use to receivers.
  eventFields: ["uid", "sink", "name", "state", "stateReason"],
  hydrate,
  storesJson: true,
  hooks: ({ events }) => ({
    applyDefaults(subscription) {
      if (subscription.state === UNSPECIFIED) subscription.state = ACTIVE;
      if (subscription.maxConcurrency === 0) subscription.maxConcurrency = DEFAULT_CONCURRENCY;
    },
    async beforeCreate(mutation, created) {
      check(events, created, undefined);
      await authorize(mutation, events, created);
      await enforceSinkQuota(mutation, subscriptions, created);
      // Before the event of this creation, which the subscription gets, too.
      await addSubscriptionState(mutation.tx, created.uid, await currentPosition(mutation.tx));
    },
    async beforeUpdate(mutation, before, after) {
      check(events, after, before);
      await authorize(mutation, events, after);
      if (after.sink !== before.sink) await enforceSinkQuota(mutation, subscriptions, after);
      if (before.state === DISABLED && after.state !== DISABLED) {
        after.stateReason = "";
        const health = await readHealth(mutation.tx, after.uid);
        if (health)
          await writeHealth(mutation.tx, after.uid, { ...health, failingSince: 0, pauseMs: 0 });
      }
      await markDue(mutation.tx, [after.uid]);
    },
    async beforeDelete({ tx }, { uid }) {
      await deleteSubscriptionState(tx, uid);
      await forgetSecrets(events.secrets, tx, uid);
    },
  }),
});

/** Checks what the validation rules of the contract cannot express. */
function check(
  { sinkPolicy }: EventsDeps,
  { sink, state, maxConcurrency, filters }: Subscription,
  before: Subscription | undefined,
): void {
  const found: FieldViolation[] = [];
  const problem = sink === before?.sink ? undefined : sinkPolicy.problem(sink);
  if (problem !== undefined) found.push({ field: "sink", description: `sink ${problem}` });
  if (!(state in SubscriptionState) || (state === DISABLED && before?.state !== DISABLED)) {
    const description = "state must be SUBSCRIPTION_STATE_ACTIVE or SUBSCRIPTION_STATE_PAUSED";
    found.push({ field: "state", description });
  }
  if (maxConcurrency < 1 || maxConcurrency > MAX_CONCURRENCY) {
    const description = `maxConcurrency must be from 1 to ${MAX_CONCURRENCY}`;
    found.push({ field: "maxConcurrency", description });
  }
  found.push(...filterViolations(filters));
  if (found.length > 0) throw invalidArgument(...found);
}

/**
 * The caller needs the list capabilities of what the subscription can match, and vouches for it from now on. Rights that
 * a session grants are not enough: they end with it.
 */
async function authorize(
  mutation: Mutation,
  { names }: EventsDeps,
  subscription: Subscription,
): Promise<void> {
  const { deps, tx, caller, actor } = mutation;
  const group = parentOf(subscription.uid);
  const needed = capabilitiesFor(subscription.filters, names());
  mustRead(caller.grants, group, needed);
  const missing = missingOf(await deps.access.grantsOf(actor, tx), group, needed);
  if (missing.length > 0) {
    const description = `your session grants ${missing.join(", ")} at ${JSON.stringify(group)}, but a subscription outlasts it: bind a role to your identity`;
    throw failedPrecondition({ type: "RIGHTS_OF_SESSION", subject: group, description });
  }
  subscription.authorizedBy = actor;
}

async function hydrate(reader: Reader, all: readonly Subscription[]): Promise<void> {
  const uids = all.map(({ uid }) => uid);
  const [states, pending] = [await readHealths(reader, uids), await countPending(reader, uids)];
  const timeOf = (ms: number) => (ms === 0 ? undefined : timestampFromMs(ms));
  for (const subscription of all) {
    const row = states.get(subscription.uid);
    if (row === undefined) continue;
    const [lastSuccessTime, lastFailureTime, failingSince] = [
      timeOf(row.lastSuccess),
      timeOf(row.lastFailure),
      timeOf(row.failingSince),
    ];
    subscription.health = create(SubscriptionHealthSchema, {
      ...(lastSuccessTime && { lastSuccessTime }),
      ...(lastFailureTime && { lastFailureTime }),
      ...(failingSince && { failingSince }),
      pendingCount: BigInt(pending.get(subscription.uid) ?? 0),
    });
  }
}
