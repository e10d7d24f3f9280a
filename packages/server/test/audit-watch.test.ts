/** Streams of the audit log. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { AuditService } from "@wharf/contract";
import type { Answer } from "./support/client/api-client.ts";
import { EventStream } from "./support/events/streams.ts";
import { onEachStore } from "./support/world/world.ts";

const PERMISSION_DENIED = 7;
const OUT_OF_RANGE = 11;
const INVALID_ARGUMENT = 3;

const { watchAuditEntries } = AuditService.method;

onEachStore("streams of the audit log", (world) => {
  const streams = {
    REST: (token: string, { filter = {}, after }: Answer, headers = {}) => {
      const fields = Object.entries(filter).map(([name, value]) => [`filter.${name}`, value]);
      const query = new URLSearchParams([...fields, ...(after ? [["after", after]] : [])]);
      const path = `/audit/v2beta1/entries:watch?${query}`;
      return EventStream.overRest(world.server.url, token, path, headers);
    },
    gRPC: (token: string, request: Answer) =>
      EventStream.overGrpc(world.server.url, token, watchAuditEntries, request),
  };
  const latest = async (resource: string): Promise<Answer> =>
    (await world.operator().audit.listAuditEntries({ filter: { resource }, pageSize: 1 }))
      .entries[0];
  const isAbout = (uid: string) => (one: Answer) => one.resource?.uid === uid;

  for (const [protocol, open] of Object.entries(streams)) {
    test(`a stream has what is stored after a position, and what follows (${protocol})`, async () => {
      const org = await world.organization();
      const { uid: after } = await latest(org);
      const stored = await world.group(org);
      const filter = { resource: org, method: "CreateGroup" };
      const stream = await open(world.operator().token, { filter, after });
      await stream.first(isAbout(stored));
      const next = await world.group(org);
      await world.organization();
      const last = await world.group(org);
      const { id } = await stream.first(isAbout(last));
      assert.equal(id, (await latest(last)).uid);
      assert.deepEqual(
        stream.events.map(({ resource }) => resource.uid),
        [stored, next, last],
      );
      await stream.cancel();
    });

    test(`a stream of the caller's rights ends when these are withdrawn (${protocol})`, async () => {
      const org = await world.organization();
      const [kept, lost] = [await world.group(org), await world.group(org)];
      const member = await world.member();
      await world.bind(kept, member.uid, ["audit.list"]);
      const binding = await world.bind(lost, member.uid, ["audit.list"]);
      const { uid: after } = await latest(org);
      const narrow = await open(member.token, { filter: { resource: lost }, after });
      const wide = await open(member.token, { filter: { resource: org }, after });
      for (const stream of [narrow, wide]) await stream.first(isAbout(await world.group(lost)));
      await world.operator().roleBindings.delete(binding);
      const unseen = await world.group(lost);
      const seen = await world.group(kept);
      assert.equal(await narrow.ended, PERMISSION_DENIED);
      await wide.first(isAbout(seen));
      for (const stream of [narrow, wide]) assert.ok(!stream.events.some(isAbout(unseen)));
      await wide.cancel();
      const { entries } = await world.operator().audit.listAuditEntries({
        filter: { resource: lost, actor: member.uid, outcome: "AUDIT_OUTCOME_DENIED" },
      });
      assert.match(entries[0].method, /WatchAuditEntries$/);
      assert.match(entries[0].detail.ended, /withdrawn/);
      const denied = await open(member.token, { filter: { resource: lost } }).then(
        (one) => one.ended,
        ({ message }) => message,
      );
      assert.ok(denied === PERMISSION_DENIED || denied === "status 403", String(denied));
    });
  }

  test("a client of server-sent events resumes with Last-Event-ID", async () => {
    const org = await world.organization();
    const [first, second] = [await world.group(org), await world.group(org)];
    const headers = { "last-event-id": (await latest(first)).uid };
    const filter = { resource: org, method: "CreateGroup" };
    const stream = await streams.REST(world.operator().token, { filter }, headers);
    await stream.first(isAbout(second));
    assert.equal(stream.events.length, 1);
    await stream.cancel();
  });

  test("a stream begins with the oldest entry, or where there is one", async () => {
    const { token } = world.operator();
    const oldest = await streams.gRPC(token, { after: "0" });
    assert.equal((await oldest.first(() => true)).uid, "1");
    await oldest.cancel();
    for (const [after, code] of [
      ["999999999", OUT_OF_RANGE],
      ["nonsense", INVALID_ARGUMENT],
    ] as const) {
      const stream = await streams.gRPC(token, { after });
      assert.equal(await stream.ended, code);
    }
  });

  test("a stream leaves an audit entry", async () => {
    const org = await world.organization();
    const stream = await streams.gRPC(world.operator().token, { filter: { resource: org } });
    await stream.cancel();
    assert.match((await latest(org)).method, /WatchAuditEntries$/);
  });
});
