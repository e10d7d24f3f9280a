import { cpuMsOf } from "../children.ts";
import { copyOf, dataSet } from "../data-set.ts";
import { vulnerabilityAt, WIDESPREAD_SHARE, widespreadAdvisory } from "../exposure-data.ts";
import { ExposureQueue } from "../exposure-queue.ts";
import { alternately, median } from "../measure.ts";
import type { Options } from "../options.ts";
import { ORGANIZATION } from "../organization.ts";
import { counted, type Row, serve } from "../row.ts";
import { mustEqual } from "../verify.ts";
import type { Wharf } from "../wharf.ts";

/** Writes advisories about a package of every second image, one after the other. */
export class AdvisoryWriter {
  readonly #server: Wharf;
  readonly #queue: ExposureQueue;
  readonly #images: number;
  #written = 0;

  constructor(server: Wharf, queue: ExposureQueue, images: number) {
    this.#server = server;
    this.#queue = queue;
    this.#images = images;
  }

  /** The seconds from the commit of an advisory to the last of its findings. */
  async write(): Promise<number> {
    const at = String(this.#written++).padStart(6, "0");
    const documents = [{ name: at, advisories: [widespreadAdvisory(at)] }];
    const path = `/vulnerabilities/v2beta1/advisories/${ORGANIZATION}:import`;
    await this.#server.rest(path, JSON.stringify({ documents }));
    const begun = performance.now();
    await this.#queue.found(vulnerabilityAt(at));
    const seconds = (performance.now() - begun) / 1000;
    mustEqual(this.#queue.findings(vulnerabilityAt(at)), this.#images / WIDESPREAD_SHARE);
    return seconds;
  }
}

/** The cost of one advisory for each image that it concerns, among many images and among few. */
export function advisoryFindingsRow({ sizes }: Options): Row {
  const [few, many] = [sizes.small, sizes.medium];
  return {
    work: `findings of an advisory about a package of half of ${counted(many)} images, for each`,
    reference: `of ${counted(few)} images`,
    target: { atMost: 3 },

    async measure(bench) {
      using large = copyOf(await dataSet(many, "exposure"));
      using small = copyOf(await dataSet(few, "exposure"));
      await using ours = await serve(bench, large.path);
      await using reference = await serve(bench, small.path);
      using largeQueue = new ExposureQueue(large.path);
      using smallQueue = new ExposureQueue(small.path);
      const writers = {
        ours: new AdvisoryWriter(ours, largeQueue, many),
        reference: new AdvisoryWriter(reference, smallQueue, few),
      };
      for (const writer of [writers.reference, writers.ours]) await writer.write();
      const seconds: number[] = [];
      const before = cpuMsOf(ours.pid);
      const each = (took: number, images: number) => (took * 1000 * WIDESPREAD_SHARE) / images;
      const figures = await alternately(
        bench.options.rounds,
        async () => each(await writers.reference.write(), few),
        async () => {
          seconds.push(await writers.ours.write());
          return each(seconds.at(-1) as number, many);
        },
      );
      const cpu = (cpuMsOf(ours.pid) - before) / 1000 / bench.options.rounds;
      const notes = [
        `${cpu.toFixed(1)} s of CPU for each advisory`,
        `${median(seconds).toFixed(1)} s from the commit of an advisory to ${counted(many / WIDESPREAD_SHARE)} findings`,
        "each advisory adds findings of another vulnerability; both wait for the worker, which looks every 250 ms",
      ];
      return { unit: "ms", ...figures, notes };
    },
  };
}
