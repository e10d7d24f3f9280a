/** Streams are shared by organization and client network: identities are free, and do not count. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { AuditService, EventsService } from "@wharf/contract";
import { EventStream } from "./support/events/streams.ts";
import { onEachStore } from "./support/world/world.ts";

const MAX_STREAMS = 6;

onEachStore(
  "shares of streams",
  (world) => {
    let evil: string;
    let own: string;
    /** Tokens of workloads of an organization, each with an identity of its own. */
    const workloads = async (org: string, count: number) => {
      const { identities } = world.operator();
      const tokens = [];
      for (let at = 0; at < count; at++) {
        const claimMatch = { issuer: "https://issuer.example.com", subject: world.name("subject") };
        const { uid } = await identities.create(org, { name: world.name("workload"), claimMatch });
        await world.bind(org, uid, "owner");
        tokens.push(await world.signer.token(uid));
      }
      return tokens;
    };
    before(async () => {
      evil = await world.organization();
      own = await world.organization();
    });

    for (const [what, overRest, overGrpc] of [
      [
        "events",
        (org: string, token: string) => {
          const path = `/events/v2beta1/events/${org}:watch`;
          return EventStream.overRest(world.server.url, token, path);
        },
        (org: string, token: string) => {
          const { watchEvents } = EventsService.method;
          return EventStream.overGrpc(world.server.url, token, watchEvents, { group: org });
        },
      ],
      [
        "the audit log",
        (org: string, token: string) => {
          const path = `/audit/v2beta1/entries:watch?filter.resource=${org}`;
          return EventStream.overRest(world.server.url, token, path);
        },
        (org: string, token: string) => {
          const { watchAuditEntries } = AuditService.method;
          const request = { filter: { resource: org } };
          return EventStream.overGrpc(world.server.url, token, watchAuditEntries, request);
        },
      ],
    ] as const) {
      test(`many identities of one organization do not take all streams of ${what}`, async () => {
        const tokens = await workloads(evil, MAX_STREAMS + 1);
        const [victim = ""] = await workloads(own, 1);
        const streams: EventStream[] = [];
        for (const [at, token] of tokens.slice(0, -1).entries()) {
          streams.push(await (at % 2 === 0 ? overRest : overGrpc)(evil, token));
        }
        await assert.rejects(overRest(evil, tokens.at(-1) ?? ""), /status 429/);
        const theirs = await overRest(own, victim);
        const newest = streams.at(-1) as EventStream;
        assert.equal(await newest.ended, 8, "the newest of the largest holder ends");
        await assert.rejects(overRest(evil, tokens.at(-1) ?? ""), /status 429/);
        const second = await overRest(own, victim);
        assert.equal(await streams.at(-2)?.ended, 8);
        await world.group(own);
        await theirs.first(() => true);
        for (const stream of [...streams, theirs, second]) await stream.cancel();
      });
    }
  },
  { limits: { streams: MAX_STREAMS } },
);
