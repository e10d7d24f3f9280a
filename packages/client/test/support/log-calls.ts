/** Calls every method of the audit log and of events with success. */
import assert from "node:assert/strict";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import type { Wharf } from "@wharf/client";
import { SubscriptionState } from "@wharf/contract";
import type { Protocol } from "./recording-client.ts";

export async function callAudit(wharf: Wharf, org: string, protocol: Protocol): Promise<void> {
  const { audit, groups } = wharf;
  const [latest] = (await audit.listEntries({ filter: { resource: org }, pageSize: 1 })).entries;
  const request = {
    filter: { resource: org, method: "CreateGroup" },
    after: latest?.uid ?? "",
  };
  const watched = audit.watchEntries(request)[Symbol.asyncIterator]();
  const next = watched.next();
  const { uid } = await groups.create({ parent: org, group: { name: "audited" } });
  const filter = { resource: uid, method: "CreateGroup" };
  const { entries, totalCount } = await audit.listEntries({ filter });
  assert.deepEqual([entries.length, totalCount], [1, 1n]);
  assert.equal((await next).value?.uid, entries[0]?.uid);
  await watched.return?.();
  const entry = await audit.getEntry({ uid: entries[0]?.uid as string });
  assert.deepEqual(
    [entry.resource?.name, entry.via],
    ["audited", protocol === "gRPC" ? "grpc" : "rest"],
  );
  const [since, until] = [timestampFromMs(Date.now() - 60_000), timestampFromMs(Date.now() + 1)];
  const { counts } = await audit.getEntryCounts({
    filter: { ...filter, since, until },
    intervals: 1,
  });
  assert.equal(counts[0]?.succeeded, 1n);
  const { content } = await audit.exportEntries({ filter });
  assert.match(content, /^\{"kind":"header"/);
}

export async function callEvents(wharf: Wharf, org: string): Promise<void> {
  const { deliveries, events, groups, subscriptions } = wharf;
  const sink = "https://sink.test/";
  const { uid } = await subscriptions.create({ parent: org, subscription: { sink } });
  const paused = { uid, state: SubscriptionState.PAUSED };
  const updateMask = { paths: ["state"] };
  await subscriptions.update({ subscription: paused, updateMask });
  assert.equal((await subscriptions.get({ uid })).state, SubscriptionState.PAUSED);
  assert.equal((await subscriptions.list({ uidp: { childrenOf: org } })).subscriptions.length, 1);
  assert.match((await subscriptions.rotateSecret({ uid })).secret, /^whsec_/);
  const { eventId } = await subscriptions.test({ uid });
  await deliveries.redeliverEvents({ subscriptionUid: uid, eventIds: [eventId] });
  assert.ok((await deliveries.list({ subscriptionUid: uid })).totalCount > 0n);
  const since = timestampFromMs(Date.now() - 3_600_000);
  assert.equal((await deliveries.getCounts({ uid, since, intervals: 3 })).counts.length, 3);

  const types = ["dev.chainguard.api.iam.group.created.v1"];
  // Without a position, the stream begins when its request arrives, which may be after the group is created.
  const request = { group: org, types, after: eventId };
  const watched = events.watch(request)[Symbol.asyncIterator]();
  const next = watched.next();
  const made = await groups.create({ parent: org, group: { name: "watched" } });
  assert.equal((await next).value?.subject, made.uid);
  await watched.return?.();
  const { events: found } = await events.list({ group: org, subject: made.uid });
  assert.deepEqual(
    found.map(({ subject }) => subject),
    [made.uid],
  );
  assert.ok((await events.listTypes()).eventTypes.length > 40);
  assert.ok((await events.previewFilter({ group: org, filters: [] })).totalCount > 0n);
  await subscriptions.delete({ uid });
}
