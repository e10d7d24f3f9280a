import { Agent, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { builtinRole } from "@wharf/contract";
import { CALLERS, OTHER_CALLERS } from "../binding-rows.ts";
import { dataSet } from "../data-set.ts";
import type { HttpJob } from "../load/http.ts";
import type { Load } from "../load/load.ts";
import { alternately } from "../measure.ts";
import { ORGANIZATION } from "../organization.ts";
import { Program } from "../program.ts";
import { type Bench, type Measured, type Row, serve } from "../row.ts";
import { tokensOf } from "../signing-keys.ts";
import { groupPath, PAGE_SIZE } from "../verify.ts";
import type { Wharf } from "../wharf.ts";

/** Connections of the callers whose response times count: enough to keep one process busy. */
const GET_CONNECTIONS = 16;

/** The interval between two writes of a role binding: a hundred per second. */
const WRITE_MS = 10;

const BINDINGS = "10,000 scattered role bindings";

/** A server with the callers of the data set. */
class Callers implements AsyncDisposable {
  readonly server: Wharf;
  readonly tokens: ReadonlyMap<string, string>;
  readonly #agent = new Agent({ keepAlive: true });
  #changes = 0;
  #changed = "";

  private constructor(server: Wharf, tokens: ReadonlyMap<string, string>) {
    this.server = server;
    this.tokens = tokens;
  }

  static async start(bench: Bench): Promise<Callers> {
    const data = await dataSet(bench.options.sizes.large, "bindings");
    const server = await serve(bench, data);
    const all = [...Object.values(CALLERS), ...OTHER_CALLERS];
    const callers = new Callers(server, await tokensOf(server, data, all));
    callers.#changed = (await callers.list(CALLERS.leaves, "orderBy=name")).uids[7] as string;
    return callers;
  }

  tokenOf(caller: string): string {
    return this.tokens.get(caller) as string;
  }

  /** Sends a request, and measures the time of its response. */
  ask(method: string, path: string, token: string, body?: object): Promise<Answer> {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const begun = performance.now();
    return new Promise((resolve, reject) => {
      const options = { method, agent: this.#agent, headers };
      const sent = request(`${this.server.url}${path}`, options, (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("end", () => {
          const ms = performance.now() - begun;
          const text = Buffer.concat(chunks).toString();
          if (response.statusCode === 200) resolve({ ms, body: JSON.parse(text) });
          else reject(new Error(`${path}: ${response.statusCode} ${text}`));
        });
      });
      sent.on("error", reject);
      sent.end(body && JSON.stringify(body));
    });
  }

  async list(caller: string, query: string) {
    const path = `/iam/v2beta1/groups?pageSize=${PAGE_SIZE}&${query}`;
    const { ms, body } = await this.ask("GET", path, this.tokenOf(caller));
    const uids = (body.groups as { uid: string }[]).map(({ uid }) => uid);
    return { ms, uids, total: Number(body.totalCount), next: String(body.nextPageToken) };
  }

  /** Changes a group that all callers see. */
  async change(): Promise<void> {
    const body = { description: `change ${this.#changes++}` };
    await this.ask("PATCH", groupPath(this.#changed), this.server.token, body);
  }

  /** Binds a role, and later unbinds it; for an identity that sends no requests. */
  async bind(): Promise<() => Promise<void>> {
    const identityUid = OTHER_CALLERS[0];
    const body = { identityUid, roleUid: builtinRole("viewer")?.uid };
    const path = `/iam/v2beta1/roleBindings`;
    const { token } = this.server;
    const made = await this.ask("POST", `${path}/${this.#changed}`, token, body);
    return async () => {
      await this.ask("DELETE", `${path}/${made.body.uid}`, token);
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#agent.destroy();
    await this.server[Symbol.asyncDispose]();
  }
}

interface Answer {
  readonly ms: number;
  // biome-ignore lint/suspicious/noExplicitAny: responses have every shape.
  readonly body: any;
}

/** Compares the GETs of other callers while something goes on with those without it. */
async function compareGets(
  bench: Bench,
  callers: Callers,
  meanwhile: (seconds: number) => Promise<string>,
): Promise<Measured> {
  const { port, token } = callers.server;
  const { seconds, rounds } = bench.options;
  const targets = OTHER_CALLERS.slice(1).map((caller) => ({
    path: groupPath(ORGANIZATION),
    token: callers.tokenOf(caller),
  }));
  const gets = async () => {
    const connections = GET_CONNECTIONS;
    const job = { port, token, method: "GET", targets, connections, seconds } as const;
    return (await bench.http.ask(job)).p99Ms;
  };
  await gets();
  let note = "";
  const figures = await alternately(rounds, gets, async () => {
    const running = meanwhile(seconds + 1);
    await sleep(500);
    const p99 = await gets();
    note = await running;
    return p99;
  });
  return { unit: "ms", ...figures, notes: [note] };
}

const othersRow: Row = {
  work: `GET p99 of others while a caller with ${BINDINGS} lists by name, with changes`,
  reference: `alone, ${GET_CONNECTIONS} connections`,
  target: { atMost: 3 },

  async measure(bench) {
    await using callers = await Callers.start(bench);
    await using lists = new Program<HttpJob, Load>("load/http.ts", bench.cores.asking);
    const skip = (await callers.list(CALLERS.folders, "")).total >> 1;
    const pages = ["orderBy=name", `orderBy=name&skip=${skip}`];
    for (const page of pages) await callers.list(CALLERS.folders, page);
    const { port } = callers.server;
    const token = callers.tokenOf(CALLERS.folders);
    const targets = pages.map((page) => ({
      path: `/iam/v2beta1/groups?pageSize=${PAGE_SIZE}&${page}`,
    }));
    return await compareGets(bench, callers, async (seconds) => {
      const changing = setInterval(() => void callers.change().catch(() => {}), 100);
      const job = { port, token, method: "GET", targets, connections: 1, seconds } as const;
      const { answers } = await lists.ask(job).finally(() => clearInterval(changing));
      return `${Math.round(answers / seconds)} lists per second meanwhile`;
    });
  },
};

const bindingWritesRow: Row = {
  work: "GET p99 of 20 callers while 100 role bindings per second are written",
  reference: `alone, ${GET_CONNECTIONS} connections`,
  target: { atMost: 3 },

  async measure(bench) {
    await using callers = await Callers.start(bench);
    return await compareGets(bench, callers, async (seconds) => {
      const end = performance.now() + seconds * 1000;
      const writes: Promise<void>[] = [];
      while (performance.now() < end) {
        writes.push(callers.bind().then((unbind) => unbind()));
        await sleep(2 * WRITE_MS);
      }
      await Promise.all(writes);
      return `${Math.round((2 * writes.length) / seconds)} writes per second meanwhile`;
    });
  },
};

/** Callers with many role bindings, and those beside them. */
export const bindingRows: readonly Row[] = [othersRow, bindingWritesRow];
