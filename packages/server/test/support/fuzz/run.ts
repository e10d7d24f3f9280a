/** Sends the requests of a run, some at a time, and collects what was wrong with answers. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { Random, SEED } from "../oracle/random.ts";
import { ConnectionLost } from "./http1.ts";
import { problemOf } from "./invariants.ts";
import type { FuzzRequest, Phase } from "./request.ts";
import { type FuzzAnswer, Sender } from "./send.ts";
import { changesSince, storeDigest } from "./store-digest.ts";
import type { FuzzWorld } from "./world.ts";

/** Number of concurrent requests. */
const CONCURRENCY = 16;

/** After so many requests the attackers' organization is made again. */
const RENEW_EVERY = 2_500;

/** A run that fails this often is not going to tell more. */
const MAX_FAILURES = 25;

/**
 * A server that has heard enough answers and closes. Of a request above this, not all may have been
 * sent by then, and the system of the sender throws the answer away.
 */
const LARGE_BYTES = 16 * 1024;

/** Makes the request with this number: the same for the same seed. */
export type Generator = (random: Random, phase: Phase) => FuzzRequest;

export interface Run {
  readonly title: string;
  readonly generate: Generator;
  readonly anonymous: number;
  readonly authenticated: number;
}

/** Only requests with these numbers are sent: `WHARF_FUZZ_REPLAY=120` or `120-180`. */
function replayed(): readonly [first: number, last: number] | undefined {
  const asked = process.env.WHARF_FUZZ_REPLAY;
  if (asked === undefined) return undefined;
  const [first = 0, last = first] = asked.split("-").map(Number);
  return [first, last];
}

/** The choices for one request, which depend on nothing but the seed, the run and its number. */
function randomFor(title: string, index: number): Random {
  let mixed = SEED;
  for (const letter of title) mixed = Math.imul(mixed ^ letter.charCodeAt(0), 0x01000193);
  return new Random(Math.imul(mixed ^ (index + 1), 0x9e3779b1));
}

interface Failure {
  readonly kind: string;
  readonly shown: string;
}

/** Sends requests one by one from a list, and keeps what went wrong. */
export class Campaign {
  readonly #world: FuzzWorld;
  readonly #failures = new Map<string, Failure & { count: number }>();
  /** The targets that succeeded at least once: methods of the contract, or paths without their variables. */
  readonly succeeded = new Set<string>();
  sent = 0;

  constructor(world: FuzzWorld) {
    this.#world = world;
  }

  /**
   * Sends the requests of a run: first those without a valid token, which must change nothing.
   *
   * @example await campaign.run({ title: "REST", generate: restRequest, anonymous: 9_000, authenticated: 30_000 });
   */
  async run({ title, generate, anonymous, authenticated }: Run): Promise<void> {
    const { server } = this.#world.world;
    const before = await storeDigest(server);
    await this.#phase(title, generate, "anonymous", 0, anonymous);
    const written = changesSince(before, await storeDigest(server));
    assert.deepEqual(written, [], `${title}: requests without a valid token changed the store`);
    const victim = await storeDigest(server, this.#world.victim);
    for (let done = 0; done < authenticated; done += RENEW_EVERY) {
      const count = Math.min(RENEW_EVERY, authenticated - done);
      await this.#phase(title, generate, "authenticated", anonymous + done, count);
      if (done + count < authenticated && replayed() === undefined) await this.#world.renew();
    }
    const harmed = changesSince(victim, await storeDigest(server, this.#world.victim));
    assert.deepEqual(harmed, [], `${title}: another organization was changed`);
  }

  async #phase(
    title: string,
    generate: Generator,
    phase: Phase,
    start: number,
    count: number,
  ): Promise<void> {
    const [first, last] = replayed() ?? [0, Number.POSITIVE_INFINITY];
    const entries = function* () {
      for (let index = Math.max(start, first); index < start + count && index <= last; index++) {
        const request = generate(randomFor(title, index), phase);
        yield [`${title} ${index}`, request] as const;
      }
    };
    await this.#send(entries(), phase);
  }

  /** Sends recorded requests, which have names of their own. */
  async replay(entries: Iterable<readonly [name: string, request: FuzzRequest]>): Promise<void> {
    await this.#send(entries, "authenticated");
  }

  async #send(
    entries: Iterable<readonly [name: string, request: FuzzRequest]>,
    phase: Phase,
  ): Promise<void> {
    const queue = entries[Symbol.iterator]();
    const work = async () => {
      const sender = new Sender(this.#world);
      for (let next = queue.next(); !next.done; next = queue.next()) {
        if (this.#failures.size >= MAX_FAILURES) break;
        const [name, request] = next.value;
        await this.#sendOne(sender, name, request, phase);
      }
      sender.close();
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, work));
  }

  async #sendOne(sender: Sender, name: string, request: FuzzRequest, phase: Phase): Promise<void> {
    this.sent += 1;
    let problem: string | undefined;
    let shown = "";
    try {
      const answer = await sender.send(request, phase);
      problem = problemOf(request, answer, this.#world);
      if (isSuccess(answer)) this.succeeded.add(targetOf(request));
      if (problem)
        shown = `${answer.status} ${[...answer.trailers].join(" ")} ${answer.body.subarray(0, 400)}`;
    } catch (error) {
      const cut = error instanceof ConnectionLost && error.bytes > LARGE_BYTES;
      if (!cut) problem = (error as Error).message;
    }
    if (problem === undefined) return;
    const kind = `${request.via} ${targetOf(request)}: ${problem.slice(0, 60)}`;
    const known = this.#failures.get(kind);
    if (known !== undefined) known.count += 1;
    else {
      const text = `${name} (${phase}, ${request.caller}): ${problem}\n  answer: ${shown}\n  request: ${shortened(JSON.stringify(request))}`;
      this.#failures.set(kind, { kind, shown: text, count: 1 });
    }
  }

  /** Fails with all that was wrong, and how to see it again. */
  check(): void {
    const list = [...this.#failures.values()].map(
      ({ shown, count }) => `${shown}\n  seen ${count} times`,
    );
    assert.equal(
      list.length,
      0,
      `seed ${SEED}; again with WHARF_TEST_SEED=${SEED} WHARF_FUZZ_REPLAY=<number>:\n${list.join("\n")}`,
    );
  }
}

/** The target of a request: the method, or its path without the variable parts. */
function targetOf({ rpc, method, path }: FuzzRequest): string {
  return rpc ?? `${method} ${path.replaceAll(/<[^>]*>|\?.*$/g, "").slice(0, 80)}`;
}

function isSuccess({ status, trailers }: FuzzAnswer): boolean {
  return trailers.size > 0 ? trailers.get("grpc-status") === "0" : status >= 200 && status < 400;
}

/** Long repetitions of one character tell no more than their number. */
function shortened(text: string): string {
  const short = text.replaceAll(/(.)\1{49,}/gu, (run, one: string) => `${one}×${run.length}`);
  return short.length > 3_000 ? `${short.slice(0, 3_000)}…` : short;
}

/** Resident memory of a process, in bytes. */
export function residentBytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) * 1024;
}
