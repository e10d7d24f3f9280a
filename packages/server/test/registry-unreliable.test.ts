import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, test } from "node:test";
import { until } from "./support/until.ts";
import { TrackedRegistry } from "./support/world/tracked-registry.ts";

/** Passes on what a registry notifies, badly: some of it never, some of it twice, all of it late. */
class BadLine {
  readonly #server: Server;
  readonly #kept: { headers: Record<string, string>; body: string }[] = [];
  #received = 0;

  private constructor(server: Server) {
    this.#server = server;
    server.on("request", async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      const headers = {
        authorization: request.headers.authorization ?? "",
        "content-type": request.headers["content-type"] ?? "",
      };
      const kept = { headers, body: Buffer.concat(chunks).toString() };
      const turn = this.#received++ % 4;
      // Of four, one is lost and one comes twice.
      if (turn !== 0) this.#kept.push(kept);
      if (turn === 1) this.#kept.push(kept);
      response.end();
    });
  }

  static async start(): Promise<BadLine> {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    return new BadLine(server);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get received(): number {
    return this.#received;
  }

  /** Forwards the delayed requests, last first. */
  async pass(to: string): Promise<void> {
    for (const { headers, body } of this.#kept.splice(0).reverse()) {
      const url = `${to}/registry/notifications`;
      const { status } = await fetch(url, { method: "POST", headers, body });
      assert.equal(status, 200);
    }
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

describe("a registry whose notifications are lost, duplicated and reordered", () => {
  let line: BadLine;
  let tracked: TrackedRegistry;
  before(async () => {
    line = await BadLine.start();
    tracked = await TrackedRegistry.start({ notifyUrl: line.url });
  });
  after(async () => {
    await tracked.stop();
    line.stop();
  });

  test("is consistent after the next reconcile pass", async () => {
    const { server } = tracked.world;
    const owner = await tracked.world.registry.holder("owner", "owner");
    const images = Array.from({ length: 4 }, () => tracked.image());
    const wanted = new Map<string, string>();
    for (const [at, { source, digest }] of images.entries()) {
      for (const tag of [`v${at}`, "latest", `p${at % 2}`]) {
        const { ok, output } = await tracked.push(owner, source, `acme/shaky:${tag}`);
        assert.ok(ok, output);
        wanted.set(tag, digest);
      }
    }
    const { ok, output } = await tracked.skopeo("delete", owner, "acme/shaky:v0");
    assert.ok(ok, output);
    wanted.delete("v0");
    await until(async () => line.received >= 13);
    await line.pass(server.url);
    await server.terminate();
    await server.restart();
    await until(async () => server.log.includes("reconcile pass finished"));
    const repo = (await tracked.repo("shaky")) as string;
    const found = (await tracked.tags(repo)).map(({ name, digest }) => [name, digest] as const);
    assert.deepEqual(new Map(found), wanted);
  });
});
