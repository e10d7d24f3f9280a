import { readFileSync } from "node:fs";
import { join } from "node:path";
import { copyOf, dataSet, ScratchData } from "../data-set.ts";
import { packageName } from "../exposure-data.ts";
import { ExposureQueue } from "../exposure-queue.ts";
import { ImageServer, uploadOf } from "../image-uploads.ts";
import { writeLayer } from "../layer-file.ts";
import type { Options } from "../options.ts";
import { ORGANIZATION } from "../organization.ts";
import { PeakMemory } from "../peak-memory.ts";
import { type Bench, counted, type Row, serve } from "../row.ts";
import { sbomText } from "../sbom-text.ts";
import { groupPath } from "../verify.ts";
import type { Wharf } from "../wharf.ts";
import { AdvisoryWriter } from "./exposure-advisories.ts";
import { layerBytes } from "./exposure-layers.ts";
import { packageImagesPath } from "./exposure-packages.ts";
import { SBOM_PACKAGES } from "./exposure-sboms.ts";
import { compare, GET_CONNECTIONS } from "./isolation.ts";

/** A server, and work for it that is repeated. */
interface Busy {
  readonly server: Wharf;
  /** The group that others read. */
  readonly group: string;
  work(): Promise<unknown>;
}

/** GETs of others while the server has work about images, and its memory. */
function row(
  doing: string,
  of: (bench: Bench, resources: AsyncDisposableStack) => Promise<Busy>,
): Row {
  return {
    work: `GET p99 while ${doing}`,
    reference: `alone, ${GET_CONNECTIONS} connections`,
    target: { atMost: 3 },

    async measure(bench) {
      await using resources = new AsyncDisposableStack();
      const { server, group, work } = await of(bench, resources);
      const client = { method: "GET", connections: GET_CONNECTIONS } as const;
      using memory = new PeakMemory(server.pid);
      const idle = memory.mebibytes;
      const disturb = async (seconds: number) => {
        const begun = performance.now();
        const took = () => (performance.now() - begun) / 1000;
        let times = 0;
        do {
          await work();
          times++;
        } while (took() < seconds);
        return times / took();
      };
      const measured = await compare(bench, {
        ...{ server, disturb, got: "results", digits: 2 },
        client: { ...client, targets: [{ path: groupPath(group) }] },
      });
      const peak = `at most ${memory.mebibytes.toFixed(0)} MiB in all processes, ${idle.toFixed(0)} MiB before`;
      return { ...measured, notes: [...measured.notes, peak] };
    },
  };
}

/** A server with many images. */
async function serveImages(bench: Bench, resources: AsyncDisposableStack, images: number) {
  const data = resources.use(copyOf(await dataSet(images, "exposure")));
  return { data: data.path, server: resources.use(await serve(bench, data.path)) };
}

function advisoryRow(images: number): Row {
  return row(
    `advisories about half of ${counted(images)} images are assessed`,
    async (bench, resources) => {
      const { data, server } = await serveImages(bench, resources, images);
      const queue = resources.use(new ExposureQueue(data));
      const writer = new AdvisoryWriter(server, queue, images);
      return { server, group: ORGANIZATION, work: () => writer.write() };
    },
  );
}

function packagesRow(images: number): Row {
  return row(
    `one client lists images by package, of ${counted(images)}`,
    async (bench, resources) => {
      const { server } = await serveImages(bench, resources, images);
      let requests = 0;
      const work = () => server.rest(packageImagesPath(packageName(requests++)));
      return { server, group: ORGANIZATION, work };
    },
  );
}

/** Documents that are uploaded in turn: each is other packages than the image had. */
const DOCUMENTS = 8;

const sbomsRow = row(
  `one client uploads SBOMs of ${counted(SBOM_PACKAGES)} packages`,
  async (bench, resources) => {
    const images = resources.use(await ImageServer.open(bench));
    const image = await images.push();
    const uploads = await Promise.all(
      Array.from({ length: DOCUMENTS }, (_, at) => uploadOf(sbomText(SBOM_PACKAGES, `${at}`))),
    );
    const { server, organization: group } = images.own;
    let uploaded = 0;
    const work = () => images.ingest(image, uploads[uploaded++ % DOCUMENTS] as string);
    return { server, group, work };
  },
);

function layersRow(options: Options): Row {
  const megabytes = layerBytes(options) / 1e6;
  return row(
    `layers of ${megabytes} MB are read, one after the other`,
    async (bench, resources) => {
      const images = resources.use(await ImageServer.open(bench));
      const folder = resources.use(new ScratchData());
      const file = join(folder.path, "layer");
      await writeLayer(file, layerBytes(options));
      const image = await images.push(readFileSync(file));
      const { server, organization: group } = images.own;
      return { server, group, work: () => images.reindex(image) };
    },
  );
}

/** Effects of the work about images on other requests, and its memory. */
export function exposureIsolationRows(options: Options): Row[] {
  const { medium } = options.sizes;
  return [advisoryRow(medium), packagesRow(medium), sbomsRow, layersRow(options)];
}
