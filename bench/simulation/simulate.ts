/**
 * A discrete-event simulation of a network of queues. Requests arrive at random (Poisson), visit stations one after the
 * other, and wait in the order of arrival where all servers of a station are busy. Times are in milliseconds.
 */
import { EventQueue } from "./event-queue.ts";
import { type Random, randomOf } from "./random.ts";

/** A stay of a request at a station. */
export interface Visit {
  readonly station: string;
  /** The service time of this request. */
  readonly each: number;
  /**
   * Served together with all visits that wait at the same time and have a shared part, too: a group commit. The
   * shared part of the first is added once.
   */
  readonly shared?: number;
}

/** A time during which a request occupies nothing: a network, or a disk that serves many at once. */
export interface Delay {
  readonly delay: number;
}

export interface Workload {
  readonly name: string;
  /** Requests per second on average. */
  readonly perSecond: number;
  /** What the next request does. */
  stages(random: Random): readonly (Visit | Delay)[];
}

export interface Model {
  /** The number of servers of each station. */
  readonly stations: ReadonlyMap<string, number>;
  readonly workloads: readonly Workload[];
}

export interface Outcome {
  /** Response times of each workload, in ascending order. */
  readonly times: ReadonlyMap<string, Float64Array>;
  /** The share of time in which servers of a station were busy. */
  readonly busy: ReadonlyMap<string, number>;
}

export interface SimulationOptions {
  /** Simulated requests, of which the first tenth only fills the queues. */
  readonly requests: number;
  readonly seed: number;
}

interface Request {
  readonly workload: string;
  readonly arrived: number;
  readonly isCounted: boolean;
  readonly stages: readonly (Visit | Delay)[];
  at: number;
}

type Event =
  | { readonly kind: "arrival"; readonly workload: Workload }
  | { readonly kind: "continue"; readonly request: Request }
  | { readonly kind: "served"; readonly station: Station; readonly requests: readonly Request[] };

class Station {
  readonly servers: number;
  readonly queue: Request[] = [];
  free: number;
  busyMs = 0;

  constructor(servers: number) {
    this.servers = servers;
    this.free = servers;
  }
}

export function simulate(model: Model, { requests, seed }: SimulationOptions): Outcome {
  return new Simulation(model, requests, seed).run();
}

class Simulation {
  readonly #random: Random;
  readonly #events = new EventQueue<Event>();
  readonly #stations: Map<string, Station>;
  readonly #times = new Map<string, number[]>();
  readonly #requests: number;
  readonly #model: Model;
  #arrivals = 0;

  constructor(model: Model, requests: number, seed: number) {
    this.#model = model;
    this.#requests = requests;
    this.#random = randomOf(seed);
    this.#stations = new Map(
      [...model.stations].map(([name, count]) => [name, new Station(count)]),
    );
  }

  run(): Outcome {
    for (const workload of this.#model.workloads) {
      this.#times.set(workload.name, []);
      this.#schedule(0, workload);
    }
    let now = 0;
    for (let next = this.#events.next(); next !== undefined; next = this.#events.next()) {
      now = next.time;
      this.#handle(now, next.event);
    }
    const times = [...this.#times].map(
      ([name, all]) => [name, Float64Array.from(all).sort()] as const,
    );
    const busy = [...this.#stations].map(
      ([name, { busyMs, servers }]) => [name, busyMs / (now * servers)] as const,
    );
    return { times: new Map(times), busy: new Map(busy) };
  }

  #schedule(now: number, workload: Workload): void {
    if (workload.perSecond <= 0) return;
    const time = now + this.#random.exponential(1000 / workload.perSecond);
    this.#events.add(time, { kind: "arrival", workload });
  }

  #handle(now: number, event: Event): void {
    if (event.kind === "arrival") this.#arrive(now, event.workload);
    else if (event.kind === "continue") this.#continue(now, event.request);
    else {
      event.station.free += 1;
      for (const request of event.requests) this.#continue(now, request);
      this.#serve(now, event.station);
    }
  }

  #arrive(now: number, workload: Workload): void {
    if (this.#arrivals >= this.#requests) return;
    const isCounted = this.#arrivals++ >= this.#requests / 10;
    const stages = workload.stages(this.#random);
    this.#continue(now, { workload: workload.name, arrived: now, isCounted, stages, at: 0 });
    this.#schedule(now, workload);
  }

  /** Begins the next stage of a request. */
  #continue(now: number, request: Request): void {
    const stage = request.stages[request.at++];
    if (stage === undefined) {
      if (request.isCounted) this.#times.get(request.workload)?.push(now - request.arrived);
    } else if ("delay" in stage) this.#events.add(now + stage.delay, { kind: "continue", request });
    else {
      const station = this.#stations.get(stage.station);
      if (station === undefined) throw new Error(`there is no station "${stage.station}"`);
      station.queue.push(request);
      this.#serve(now, station);
    }
  }

  #serve(now: number, station: Station): void {
    while (station.free > 0 && station.queue.length > 0) {
      const requests = takeBatch(station.queue);
      const visits = requests.map(visitOf);
      const each = visits.reduce((sum, visit) => sum + visit.each, 0);
      const took = each + (visits[0]?.shared ?? 0);
      station.free -= 1;
      station.busyMs += took;
      this.#events.add(now + took, { kind: "served", station, requests });
    }
  }
}

function visitOf({ stages, at }: Request): Visit {
  return stages[at - 1] as Visit;
}

/** Removes the first of a queue, and all that are served together with it. */
function takeBatch(queue: Request[]): Request[] {
  const first = queue.shift() as Request;
  if (visitOf(first).shared === undefined) return [first];
  const batch = [first];
  const rest = queue.filter((request) => {
    if (visitOf(request).shared === undefined) return true;
    batch.push(request);
    return false;
  });
  queue.splice(0, queue.length, ...rest);
  return batch;
}
