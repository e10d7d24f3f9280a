/** The tests of a file of fuzzing: the recorded requests first, then runs of generated ones. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { SEED } from "../oracle/random.ts";
import { STORES, type StoreKind } from "../server/test-server.ts";
import type { FuzzRequest } from "./request.ts";
import { Campaign, type Generator, residentBytes } from "./run.ts";
import { FuzzWorld } from "./world.ts";

const CORPUS = join(import.meta.dirname, "../../long/corpus");

/** A server that grows by more than this while it answers keeps what it should not. */
const GROWTH = { factor: 2, bytes: 300 * 1024 * 1024 };

/** A recorded request, and the defect that it once found. */
interface Kept {
  readonly found: string;
  readonly request: FuzzRequest;
}

/** The recorded requests of a file, by their position in it. */
function corpus(file: string): [name: string, request: FuzzRequest][] {
  const kept = JSON.parse(readFileSync(join(CORPUS, `${file}.json`), "utf8")) as Kept[];
  return kept.map(({ found, request }, at) => [`${file}.json[${at}] (${found})`, request]);
}

/** Multiplies the numbers of requests: less for a quick look, more for a long search. */
const SCALE = Number(process.env.WHARF_FUZZ_SCALE ?? 1);

/** The number of requests of a run on each store: without a valid token, and with one. */
export interface Counts {
  readonly anonymous: number;
  readonly authenticated: number;
}

/** The requests of a run, and the number of targets of which some request must have succeeded by its end. */
interface FuzzRun extends Readonly<Record<StoreKind, Counts>> {
  readonly generate: Generator;
  readonly reaches: number;
}

/**
 * Declares the tests of a file; its recorded requests are in the file of the corpus with this name.
 *
 * @example fuzzSuite("rest", { REST: { generate: restRequest, sqlite: {…}, postgres: {…} } });
 */
export function fuzzSuite(file: string, runs: Readonly<Record<string, FuzzRun>>): void {
  for (const store of STORES) {
    describe(`a server on ${store} under fuzzed requests`, () => {
      let world: FuzzWorld;
      before(async () => {
        world = await FuzzWorld.start(store);
      });
      after(() => world?.stop());

      test("answers the kept requests", async () => {
        const campaign = new Campaign(world);
        await campaign.replay(corpus(file));
        campaign.check();
      });

      for (const [title, { generate, reaches, ...counts }] of Object.entries(runs)) {
        test(`${title}: answers in form, tells nothing, changes nothing for strangers`, async () => {
          const pid = world.world.server.process.pid as number;
          const logged = world.world.server.logLines.length;
          const warm = new Campaign(world);
          await warm.run({
            title: `${title} warm-up`,
            generate,
            anonymous: 200,
            authenticated: 800,
          });
          const before = residentBytes(pid);
          const campaign = new Campaign(world);
          const begun = performance.now();
          await campaign.run({ title, generate, ...scaled(counts[store]) });
          const seconds = (performance.now() - begun) / 1000;
          const grown = residentBytes(pid);
          console.log(
            `${title} on ${store}: ${campaign.sent} requests with seed ${SEED} in ${seconds.toFixed(0)} s, ` +
              `${campaign.succeeded.size} targets succeeded, memory ${mebibytes(before)} to ${mebibytes(grown)} MiB`,
          );
          warm.check();
          campaign.check();
          await checkServer(world, logged);
          if (SCALE >= 1 && process.env.WHARF_FUZZ_REPLAY === undefined) {
            assert.ok(campaign.succeeded.size >= reaches, "hardly any request gets anywhere");
          }
          assert.ok(
            grown < before * GROWTH.factor + GROWTH.bytes,
            "the memory of the server grows",
          );
        });
      }
    });
  }
}

function scaled({ anonymous, authenticated }: Counts): Counts {
  return {
    anonymous: Math.ceil(anonymous * SCALE),
    authenticated: Math.ceil(authenticated * SCALE),
  };
}

function mebibytes(bytes: number): string {
  return (bytes / 1024 / 1024).toFixed(0);
}

/** The server is alive, and has met nothing that it calls a failure of its own. */
async function checkServer({ world }: FuzzWorld, logged: number): Promise<void> {
  const answer = await fetch(`${world.server.url}/healthz`);
  assert.equal(answer.status, 200);
  await answer.text();
  const errors = world.server.logLines
    .slice(logged)
    .filter((line) => /"level":"(error|fatal)"/.test(line));
  assert.deepEqual(errors.slice(0, 5), [], "errors in the log");
}
