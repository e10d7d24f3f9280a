import { QueueFullError } from "./fair-queue.ts";

/** The bounds of waiting jobs that can be dropped. */
export interface FairOrderLimits {
  /** Jobs of one owner of the first level. */
  readonly maxQueuedPerKey: number;
  readonly maxQueued: number;
}

export interface WaitingJob {
  start(): void;
  /** Drops the job. One without it has begun before, and is never dropped. */
  reject?(error: unknown): void;
}

/** The owner of a job, from the widest to the narrowest: an organization, its caller, the method. */
export type Owner = readonly string[];

interface Flow {
  readonly key: string;
  /** The virtual time at which its next job starts: it grows by the cost of each job. */
  tag: number;
  /** The virtual time of its children: the tag of the one that was served last. */
  now: number;
  waiting: number;
  readonly children: Map<string, Flow>;
  readonly jobs: WaitingJob[];
}

/** Flows of a level beyond which idle ones are forgotten. */
const MAX_IDLE_FLOWS = 1_000;

/**
 * Hierarchical start-time fair queuing. The next job is that of the flow that has consumed least, at each level of
 * owners: organizations share equally, and the callers of one share its part. A flow that was idle starts at the virtual
 * time of the others: it comes before those that wait with many jobs, and saves up no credit. The jobs of a flow are
 * first in, first out. Their costs are charged afterwards.
 */
export class FairOrder {
  readonly #limits: FairOrderLimits;
  readonly #root = flowOf("", 0);

  constructor(limits: FairOrderLimits) {
    this.#limits = limits;
  }

  /** The number of waiting jobs. */
  get waiting(): number {
    return this.#root.waiting;
  }

  /** Adds a job. Throws QueueFullError if it can be dropped, and the queue is full. */
  add(owner: Owner, job: WaitingJob): void {
    if (job.reject !== undefined) this.#makeRoom(owner[0] ?? "");
    let flow = this.#root;
    flow.waiting += 1;
    for (const key of owner) {
      flow = childOf(flow, key);
      flow.waiting += 1;
    }
    flow.jobs.push(job);
  }

  /** Removes the next job. */
  take(): { readonly owner: Owner; readonly job: WaitingJob } | undefined {
    const flows = [this.#root];
    let flow = this.#root;
    while (flow.jobs.length === 0) {
      const next = leastOf(flow);
      if (next === undefined) return undefined;
      flow.now = next.tag;
      flows.push(next);
      flow = next;
    }
    const owner = flows.slice(1).map(({ key }) => key);
    return { owner, job: remove(flows, 0) };
  }

  /** Adds a cost, in any unit, to what an owner has consumed. */
  charge(owner: Owner, cost: number): void {
    let flow = this.#root;
    for (const key of owner) {
      flow = childOf(flow, key);
      flow.tag += cost;
    }
  }

  /**
   * Rejects the newest job of the largest owner of a full queue, if that stays no smaller than the growing one: nobody
   * can fill the queue for others.
   */
  #makeRoom(key: string): void {
    const queued = this.#root.children.get(key)?.waiting ?? 0;
    if (queued >= this.#limits.maxQueuedPerKey) throw new QueueFullError("key");
    if (this.#root.waiting < this.#limits.maxQueued) return;
    const flows = [this.#root];
    for (let next = largestOf(this.#root); next !== undefined; next = largestOf(next))
      flows.push(next);
    const at = flows.at(-1)?.jobs.findLastIndex((job) => job.reject !== undefined) ?? -1;
    if (at < 0 || (flows[1]?.waiting ?? 0) <= queued + 1) throw new QueueFullError("queue");
    remove(flows, at).reject?.(new QueueFullError("queue"));
  }
}

function flowOf(key: string, tag: number): Flow {
  return { key, tag, now: 0, waiting: 0, children: new Map(), jobs: [] };
}

function childOf(parent: Flow, key: string): Flow {
  const { children, now } = parent;
  let child = children.get(key);
  if (child === undefined) {
    if (children.size >= MAX_IDLE_FLOWS) forgetIdle(children);
    child = flowOf(key, now);
    children.set(key, child);
  } else if (child.waiting === 0 && child.tag < now) child.tag = now;
  return child;
}

/** An idle flow has consumed at most a few jobs more than others. */
function forgetIdle(children: Map<string, Flow>): void {
  for (const [key, { waiting }] of children) if (waiting === 0) children.delete(key);
}

function leastOf({ children }: Flow): Flow | undefined {
  let least: Flow | undefined;
  for (const flow of children.values()) {
    if (flow.waiting > 0 && (least === undefined || flow.tag < least.tag)) least = flow;
  }
  return least;
}

function largestOf({ children }: Flow): Flow | undefined {
  let largest: Flow | undefined;
  for (const flow of children.values()) {
    if (flow.waiting > (largest?.waiting ?? 0)) largest = flow;
  }
  return largest;
}

/** Removes a job of the last flow, which all flows before contain. */
function remove(flows: readonly Flow[], at: number): WaitingJob {
  for (const flow of flows) flow.waiting -= 1;
  return flows.at(-1)?.jobs.splice(at, 1)[0] as WaitingJob;
}
