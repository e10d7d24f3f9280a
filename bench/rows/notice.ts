import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { alternately, median } from "../measure.ts";
import type { Options } from "../options.ts";
import { RegistrySite } from "../registry-site.ts";
import { counted, type Row } from "../row.ts";
import { mustEqual } from "../verify.ts";
import type { Wharf } from "../wharf.ts";

/** Pushes per measurement, which is their median. */
const FULL = 50;
const QUICK = 5;

/** A bare listener for the notifications of the registry. */
class Listener implements Disposable {
  readonly #server = createServer(async (request, response) => {
    const { events } = JSON.parse(await text(request));
    for (const { target } of events) this.#heard.get(target.tag)?.resolve();
    response.end();
  });
  readonly #heard = new Map<string, PromiseWithResolvers<void>>();

  async open(): Promise<string> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Resolves with the notification of a pushed tag. */
  heard(tag: string): Promise<void> {
    const one = Promise.withResolvers<void>();
    this.#heard.set(tag, one);
    return one.promise;
  }

  [Symbol.dispose](): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

export function noticeRow({ quick }: Options): Row {
  const pushes = quick ? QUICK : FULL;
  return {
    work: `from the push of an image to its tag in a list, median of ${counted(pushes)}`,
    reference: "until a bare node:http has its notification",
    target: { atMost: 5 },

    async measure(bench) {
      using listener = new Listener();
      await using site = await RegistrySite.open(bench, await listener.open());
      const image = site.storage.image("image");
      site.storage.tag(site.path, "first", image);
      await using server = await site.serve(true);
      await site.looked();
      const manifest = await pushable(site, server);
      const { repos } = JSON.parse(await server.rest("/registry/v2beta1/repos"));
      mustEqual(repos.length, 1);
      const list = `/registry/v2beta1/tags?uidp.childrenOf=${repos[0].uid}&name=`;
      const visible = async (tag: string) => {
        for (;;) {
          const { tags = [] } = JSON.parse(await server.rest(`${list}${tag}`));
          if (tags.length === 1) return;
        }
      };
      let at = 0;
      const timed = async (seen: (tag: string) => Promise<void>) => {
        const times: number[] = [];
        for (let turn = 0; turn < pushes; turn++) {
          const tag = `pushed-${at++}`;
          const begun = performance.now();
          const notified = seen(tag);
          await manifest.push(tag);
          await notified;
          times.push(performance.now() - begun);
        }
        return median(times);
      };
      const figures = await alternately(
        bench.options.rounds,
        () => timed((tag) => listener.heard(tag)),
        () => timed(visible),
      );
      const notes = ["the list is polled meanwhile, on the core of the server"];
      return { unit: "ms", ...figures, notes };
    },
  };
}

/** The existing manifest, to be pushed under other tags. */
async function pushable(site: RegistrySite, server: Wharf) {
  const query = new URLSearchParams({ service: site.host });
  query.set("scope", `repository:${site.path}:pull,push`);
  const headers = { authorization: `Bearer ${await site.credentials(server)}` };
  const granted = await fetch(`${server.url}/token?${query}`, { headers });
  const { token } = (await granted.json()) as { token: string };
  const at = `http://${site.host}/v2/${site.path}/manifests`;
  const type = "application/vnd.oci.image.manifest.v1+json";
  const own = { authorization: `Bearer ${token}`, accept: type, "content-type": type };
  const answer = await fetch(`${at}/first`, { headers: own });
  mustEqual(answer.status, 200);
  const body = await answer.text();
  return {
    async push(tag: string): Promise<void> {
      const { status } = await fetch(`${at}/${tag}`, { method: "PUT", headers: own, body });
      mustEqual(status, 201);
    },
  };
}
