import { setTimeout as sleep } from "node:timers/promises";
import { toJsonString } from "@bufbuild/protobuf";
import { type Subscription, SubscriptionState } from "@wharf/client";
import { DeliveryState, EventFilterSchema } from "@wharf/contract";
import type { Run } from "../../command/types.ts";
import type { Context } from "../../context.ts";
import { failed } from "../../errors.ts";
import { type Column, UID } from "../../output/columns.ts";
import { resolveGroup } from "../../resolve/groups.ts";
import { SUBSCRIPTION } from "../../resolve/kinds.ts";
import { withGroup } from "../../resource/group-column.ts";
import { find, printOne, type Resource } from "../../resource/run.ts";
import { updater } from "../../resource/update.ts";
import { definedFields, durationOf } from "../../resource/values.ts";
import { readFilters } from "../filters.ts";
import type {
  createDefinition,
  pauseDefinition,
  resumeDefinition,
  rotateDefinition,
  testDefinition,
} from "./commands.ts";
import { updateDefinition } from "./commands.ts";

const COMMON: readonly Column<Subscription>[] = [
  { header: "Name", value: ({ name }) => name },
  { header: "Sink", value: ({ sink }) => sink },
  { header: "State", value: ({ state }) => (SubscriptionState[state] ?? "").toLowerCase() },
  { header: "Health", value: healthText },
  UID,
];

function healthText({ health }: Subscription): string {
  if (health?.failingSince !== undefined) return "failing";
  return health?.lastSuccessTime === undefined ? "" : "ok";
}

export const resource: Resource<Subscription> = {
  kind: SUBSCRIPTION,
  columns: withGroup([
    ...COMMON,
    { header: "Filters", value: ({ filters }) => filters.length, wide: true },
    { header: "Created", value: ({ createTime }) => createTime, wide: true },
  ]),
  details: [
    ...COMMON,
    { header: "Reason", value: ({ stateReason }) => stateReason },
    { header: "Description", value: ({ description }) => description },
    {
      header: "Filters",
      value: ({ filters }) => filters.map((one) => toJsonString(EventFilterSchema, one)),
    },
    { header: "Max concurrency", value: ({ maxConcurrency }) => maxConcurrency },
    { header: "Authorized by", value: ({ authorizedBy }) => authorizedBy },
    { header: "Secret since", value: ({ secretTime }) => secretTime },
    { header: "Pending", value: ({ health }) => health?.pendingCount },
    { header: "Last success", value: ({ health }) => health?.lastSuccessTime },
    { header: "Failing since", value: ({ health }) => health?.failingSince },
    { header: "Created", value: ({ createTime }) => createTime, wide: true },
    { header: "Updated", value: ({ updateTime }) => updateTime, wide: true },
  ],
};

export const create: Run<typeof createDefinition> = async (context, args) => {
  const { sink, name, description, maxConcurrency } = args;
  const filters = await readFilters(args);
  const parent = await resolveGroup(context, args.parent);
  const { subscriptions } = await context.client();
  const subscription = { sink, ...definedFields({ name, description, maxConcurrency, filters }) };
  const created = await subscriptions.create(
    { parent: parent.uid, subscription },
    { signal: context.signal },
  );
  context.err.note(`created a subscription to the events of ${parent.name}`);
  await printOne(context, resource, created);
};

const findSubscription = (context: Context, text: string) => find(context, resource, text);

export const update = updater(updateDefinition, {
  resource,
  find: findSubscription,
  fields: {
    sink: "sink",
    name: "name",
    description: "description",
    filters: ({ args }) => readFilters(args),
    maxConcurrency: "maxConcurrency",
  },
  send: ({ subscriptions }, subscription, updateMask, options) =>
    subscriptions.update({ subscription, updateMask }, options),
});

async function setState(context: Context, text: string, state: SubscriptionState): Promise<void> {
  const { uid } = await findSubscription(context, text);
  const { subscriptions } = await context.client();
  const request = { subscription: { uid, state }, updateMask: ["state"] };
  await printOne(
    context,
    resource,
    await subscriptions.update(request, { signal: context.signal }),
  );
}

export const pause: Run<typeof pauseDefinition> = (context, { subscription }) =>
  setState(context, subscription, SubscriptionState.PAUSED);

export const resume: Run<typeof resumeDefinition> = (context, { subscription }) =>
  setState(context, subscription, SubscriptionState.ACTIVE);

/** Timeout for the answer to a test event, and the polling interval. */
const TEST_MS = 30_000;
const POLL_MS = 200;

export const test: Run<typeof testDefinition> = async (context, args) => {
  const { uid } = await findSubscription(context, args.subscription);
  const { subscriptions, deliveries } = await context.client();
  const { signal } = context;
  const { eventId } = await subscriptions.test({ uid }, { signal });
  const ends = Date.now() + TEST_MS;
  while (Date.now() < ends) {
    const request = { subscriptionUid: uid, eventId };
    const [delivery] = (await deliveries.list(request, { signal })).deliveries;
    const attempt = delivery?.attempts.at(-1);
    if (attempt !== undefined) {
      const answer = attempt.error || `HTTP ${attempt.status} after ${attempt.latencyMs} ms`;
      if (delivery?.state !== DeliveryState.DELIVERED)
        throw failed(`the test event was not accepted: ${answer}`);
      return context.out.text(answer);
    }
    await sleep(POLL_MS, undefined, { signal });
  }
  throw failed("no attempt to send the test event yet", "`wharf events deliveries` shows it later");
};

export const rotateSecret: Run<typeof rotateDefinition> = async (context, args) => {
  const { uid } = await findSubscription(context, args.subscription);
  const { subscriptions } = await context.client();
  const request = { uid, remove: args.remove, overlap: durationOf(args.overlap) };
  const { secret } = await subscriptions.rotateSecret(request, { signal: context.signal });
  if (args.remove) return context.err.note("removed the secrets of the subscription");
  context.err.note("the secret is shown only once");
  context.out.text(secret);
};
