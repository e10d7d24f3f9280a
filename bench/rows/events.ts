import { ScratchData } from "../data-set.ts";
import type { Load } from "../load/load.ts";
import type { SinkJob, Sunk } from "../load/sink.ts";
import { alternately, measureLoads, median, perSecond } from "../measure.ts";
import type { Options } from "../options.ts";
import { Program } from "../program.ts";
import type { SendJob } from "../reference/sender.ts";
import { type Bench, counted, type Row, serve, type Target } from "../row.ts";
import { groupPath, mustEqual } from "../verify.ts";
import type { Wharf } from "../wharf.ts";

const CONNECTIONS = 64;

/** Concurrent requests of a subscription, and of the bare sender. */
const CONCURRENCY = 16;

type Sink = Program<SinkJob, Sunk>;

function sinkOf({ cores }: Bench): Sink {
  return new Program<SinkJob, Sunk>("load/sink.ts", cores.asking);
}

/** An organization whose quota admits all subscriptions of a row, which share one host. */
async function organization(server: Wharf): Promise<string> {
  const resourceLimits = { subscriptions_per_sink: 100 };
  const body = JSON.stringify({ name: "organization", resourceLimits });
  return JSON.parse(await server.rest("/iam/v2beta1/groups", body)).uid;
}

async function subscribe(
  server: Wharf,
  group: string,
  sink: Sink,
  maxConcurrency?: number,
): Promise<string> {
  const { port } = await sink.ask({ until: 0 });
  const url = `http://127.0.0.1:${port}/`;
  const body = JSON.stringify({ sink: url, name: "bench", maxConcurrency });
  return JSON.parse(await server.rest(`/events/v2beta1/subscriptions/${group}`, body)).uid;
}

/**
 * Events per second from the request to send them again until the last has arrived: with as many requests at a time as
 * the bare sender, of one subscription, or of as many that send one at a time.
 */
export function deliveriesRow({ quick }: Options, subscriptions: 1 | typeof CONCURRENCY): Row {
  const events = quick ? 20 * CONCURRENCY : 200 * CONCURRENCY;
  const groups = events / subscriptions;
  const to = subscriptions === 1 ? "a sink" : `${subscriptions} sinks, one request at a time each,`;
  return {
    work: `deliveries of ${counted(events)} events to ${to} on this machine`,
    reference: "a bare sender that signs and posts the same bytes",
    target: { atLeast: 0.5 },

    async measure(bench) {
      using folder = new ScratchData();
      await using server = await serve(bench, folder.path);
      await using sink = sinkOf(bench);
      await using sender = new Program<SendJob, number>("reference/sender.ts", bench.cores.serving);
      const group = await organization(server);
      for (let at = 0; at < groups; at += CONNECTIONS) {
        const names = Array.from({ length: Math.min(CONNECTIONS, groups - at) }, (_, i) => at + i);
        await Promise.all(
          names.map((name) =>
            server.rest(groupPath(group), JSON.stringify({ name: `team-${name}` })),
          ),
        );
      }
      const uids: string[] = [];
      for (let at = 0; at < subscriptions; at++)
        uids.push(await subscribe(server, group, sink, CONCURRENCY / subscriptions));
      const { port } = await sink.ask({ until: 1 });
      const rate = async (send: () => Promise<unknown>) => {
        const { count } = await sink.ask({ until: 0 });
        const begun = performance.now();
        const arrived = sink.ask({ until: count + events });
        await send();
        await arrived;
        return (events * 1000) / (performance.now() - begun);
      };
      const listed = await server.rest(`/events/v2beta1/events/${group}?pageSize=1&types=*group*`);
      const [event] = JSON.parse(listed).events;
      const body = JSON.stringify(event.data);
      const headers = {
        "content-type": "application/json",
        "ce-id": event.id,
        "ce-type": event.type,
        "ce-source": event.source,
        "ce-subject": event.subject,
        "ce-group": event.group,
        "ce-specversion": "1.0",
      };
      const url = `http://127.0.0.1:${port}/`;
      const job = { url, count: events, concurrency: CONCURRENCY, headers, body };
      // Only the events of groups: those about the subscription would be too many.
      const again = JSON.stringify({
        since: "2020-01-01T00:00:00Z",
        types: ["iam.group.created.*"],
      });
      const redeliver = () =>
        Promise.all(
          uids.map(async (uid) => {
            const path = `/events/v2beta1/deliveries/${uid}:redeliver`;
            // The organization itself has an event, too.
            mustEqual(JSON.parse(await server.rest(path, again)).count, groups + 1);
          }),
        );
      await rate(() => sender.ask(job));
      await rate(redeliver);
      const figures = await alternately(
        bench.options.rounds,
        () => rate(() => sender.ask(job)),
        () => rate(redeliver),
      );
      return { unit: "per s", ...figures, notes: [] };
    },
  };
}

/** Creates groups on a server with subscriptions, against one without any. */
export function subscribedCreateRow(subscriptions: number, target?: Target): Row {
  return {
    work: `create group with ${counted(subscriptions)} matching subscriptions`,
    reference: "without subscriptions",
    ...(target === undefined ? {} : { target }),

    async measure(bench) {
      using plainFolder = new ScratchData();
      using folder = new ScratchData();
      await using plain = await serve(bench, plainFolder.path);
      await using server = await serve(bench, folder.path);
      await using sink = sinkOf(bench);
      const group = await organization(server);
      for (let at = 0; at < subscriptions; at++) await subscribe(server, group, sink);
      const [reference, ours] = [
        creating(bench, plain, await organization(plain)),
        creating(bench, server, group),
      ];
      // Awaited, as the servers end with this block.
      return await measureLoads(bench, "per s", perSecond, reference, ours);
    },
  };
}

function creating({ http }: Bench, { pid, port, token }: Wharf, parent: string) {
  const targets = Array.from({ length: 1_000 }, (_, i) => ({
    path: groupPath(parent),
    body: JSON.stringify({ name: `team-${String(i).padStart(8, "0")}` }),
  }));
  const load = (seconds: number): Promise<Load> =>
    http.ask({ port, token, method: "POST", targets, connections: CONNECTIONS, seconds });
  return { pid, load };
}

/** From the response to a create until its event has arrived. */
export function eventDelayRow({ quick }: Options): Row {
  const times = quick ? 10 : 100;
  return {
    work: `from a commit to its event at a sink, median of ${counted(times)}`,
    reference: "a bare request to the sink",

    async measure(bench) {
      using folder = new ScratchData();
      await using server = await serve(bench, folder.path);
      await using sink = sinkOf(bench);
      const group = await organization(server);
      await subscribe(server, group, sink);
      const { port } = await sink.ask({ until: 1 });
      const timed = async (send: () => Promise<unknown>) => {
        const all: number[] = [];
        for (let at = 0; at < times; at++) {
          const { count } = await sink.ask({ until: 0 });
          const arrived = sink.ask({ until: count + 1 });
          const sent = send();
          let [begun, ended] = [performance.now(), 0];
          await Promise.all([
            sent.then(() => {
              begun = performance.now();
            }),
            arrived.then(() => {
              ended = performance.now();
            }),
          ]);
          all.push(Math.max(0.01, ended - begun));
        }
        return median(all);
      };
      let made = 0;
      const create = () =>
        server.rest(groupPath(group), JSON.stringify({ name: `delay ${made++}` }));
      const bare = async () => {
        const begun = performance.now();
        await fetch(`http://127.0.0.1:${port}/`, { method: "POST", body: "{}" });
        return performance.now() - begun;
      };
      const bareMedian = async () => {
        const all: number[] = [];
        for (let at = 0; at < times; at++) all.push(await bare());
        return median(all);
      };
      await timed(create);
      const figures = await alternately(bench.options.rounds, bareMedian, () => timed(create));
      return { unit: "ms", ...figures, notes: [] };
    },
  };
}
