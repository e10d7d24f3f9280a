import { Agent, request } from "node:http";
import { dataSet, someUids } from "../data-set.ts";
import { alternately } from "../measure.ts";
import type { Options } from "../options.ts";
import { ORGANIZATION } from "../organization.ts";
import { counted, type Row, serve } from "../row.ts";
import { FOLDERS } from "../tree-rows.ts";
import { listPath, PAGE_SIZE } from "../verify.ts";
import type { Wharf } from "../wharf.ts";

const GROUPS = "/iam/v2beta1/groups";

/** Requests of each list in the search, of which the median counts. */
const SEARCH_REQUESTS = 7;

/** Requests of one measurement. */
const REQUESTS = 40;

/** Sends one request at a time on one connection. */
class Client implements Disposable {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  readonly #server: Wharf;

  constructor(server: Wharf) {
    this.#server = server;
  }

  /** The time until the whole response is there. */
  ms(path: string, method = "GET", body?: string): Promise<number> {
    const begun = performance.now();
    const headers = {
      authorization: `Bearer ${this.#server.token}`,
      "content-type": "application/json",
    };
    return new Promise((resolve, reject) => {
      const sent = request(this.#server.url + path, { agent: this.#agent, method, headers });
      sent.once("error", reject);
      sent.once("response", (response) => {
        if (response.statusCode !== 200) reject(new Error(`${path}: ${response.statusCode}`));
        response.resume();
        response.once("end", () => resolve(performance.now() - begun));
      });
      sent.end(body);
    });
  }

  async median(count: number, once: (at: number) => Promise<number>): Promise<number> {
    const times: number[] = [];
    for (let at = 0; at < count; at++) times.push(await once(at));
    return times.sort((a, b) => a - b)[count >> 1] ?? 0;
  }

  [Symbol.dispose](): void {
    this.#agent.destroy();
  }
}

/** Every order at every scope that has a whole page. */
function* lists(): Iterable<string> {
  const scopes = [ORGANIZATION, ...FOLDERS.filter(({ size }) => size !== 10).map(({ uid }) => uid)];
  const filters = scopes.flatMap((uid) => [`childrenOf=${uid}`, `descendantsOf=${uid}`]);
  for (const filter of ["", ...filters.map((one) => `&uidp.${one}`)]) {
    for (const key of ["uid", "name", "create_time", "update_time"]) {
      for (const direction of ["", "%20desc"]) yield `${filter}&orderBy=${key}${direction}`;
    }
  }
}

/** A page of a list. Pages of different sizes are not those of the cache. */
function pageOf(list: string, at: number): string {
  return `${GROUPS}?pageSize=${PAGE_SIZE - (at % 10)}${list}`;
}

export function worstListRow({ sizes }: Options): Row {
  return {
    work: `the worst list of orders × scopes among ${counted(sizes.large)} groups`,
    reference: "the best list of the same page size",
    target: { atMost: 5 },

    async measure(bench) {
      const data = await dataSet(sizes.large, "tree");
      await using server = await serve(bench, data);
      using client = new Client(server);
      for (const list of lists()) await client.ms(pageOf(list, 0));
      const found: { list: string; ms: number }[] = [];
      for (const list of lists()) {
        const once = (at: number) => client.ms(pageOf(list, at));
        found.push({ list, ms: await client.median(SEARCH_REQUESTS, once) });
      }
      found.sort((a, b) => a.ms - b.ms);
      const [best, worst] = [found[0]?.list ?? "", found.at(-1)?.list ?? ""];
      const measure = (list: string) => () =>
        client.median(REQUESTS, (at) => client.ms(pageOf(list, at)));
      const figures = await alternately(bench.options.rounds, measure(best), measure(worst));
      return {
        unit: "ms",
        ...figures,
        notes: [`worst: ${worst.slice(1)}`, `best: ${best.slice(1)}`],
      };
    },
  };
}

export function skipAfterWriteRow({ sizes }: Options): Row {
  const skip = sizes.large / 2;
  return {
    work: `skip ${counted(skip)} of ${counted(sizes.large)} right after a write`,
    reference: "the first page right after a write",
    target: { atMost: 5 },

    async measure(bench) {
      const data = await dataSet(sizes.large);
      await using server = await serve(bench, data);
      using client = new Client(server);
      const [uid = ""] = someUids(data, 1);
      const afterWrite = async (path: string, at: number) => {
        const description = JSON.stringify({ description: `Changed for the ${at}th time` });
        await client.ms(`${GROUPS}/${uid}`, "PATCH", description);
        return client.ms(path);
      };
      const measure = (path: string) => () => client.median(REQUESTS, (at) => afterWrite(path, at));
      const figures = await alternately(
        bench.options.rounds,
        measure(listPath(0)),
        measure(listPath(skip)),
      );
      return {
        unit: "ms",
        ...figures,
        notes: ["each request follows an update of a listed group"],
      };
    },
  };
}
