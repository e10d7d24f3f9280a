/** A real registry beside the server, with files that were written rather than pushed. */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { notificationSecret } from "@wharf/server/app/admin.ts";
import { readSettings } from "@wharf/server/config/settings.ts";
import { freePort } from "../packages/server/test/support/free-port.ts";
import { TestRegistry } from "../packages/server/test/support/registry.ts";
import { RegistryStorage } from "../packages/server/test/support/registry-storage.ts";
import { ScratchData } from "./data-set.ts";
import { type Bench, serve } from "./row.ts";
import type { Wharf } from "./wharf.ts";

/** The repo that rows are about. */
export const REPO = "app";

/** What was found in a look through the registry, as the server's log tells. */
export interface Look {
  readonly ms: number;
  readonly manifests: number;
}

export class RegistrySite implements AsyncDisposable {
  readonly host: string;
  readonly registry: TestRegistry;
  readonly storage: RegistryStorage;
  readonly organisation: string;
  readonly data: ScratchData;
  readonly #bench: Bench;
  readonly #flags: readonly string[];

  private constructor(
    bench: Bench,
    data: ScratchData,
    registry: TestRegistry,
    organisation: string,
    flags: readonly string[],
  ) {
    this.#bench = bench;
    this.data = data;
    this.registry = registry;
    this.host = registry.host;
    this.storage = new RegistryStorage(registry.storage);
    this.organisation = organisation;
    this.#flags = flags;
  }

  /**
   * A registry that tells nobody what happens in it, or the server and someone else.
   *
   * @example await using site = await RegistrySite.open(bench);
   */
  static async open(bench: Bench, alsoTellTo?: string): Promise<RegistrySite> {
    const data = new ScratchData();
    const host = `127.0.0.1:${await freePort()}`;
    // The registry knows the server by its address, which stays.
    const listen = ["--listen", `127.0.0.1:${await freePort()}`, "--registry-host", host];
    const flags = [...listen, "--registry-urls", `${host}=http://${host}`];
    await using server = await serve(bench, data.path, [...flags, "--reconcile-minutes", "0"]);
    const body = JSON.stringify({ name: "organisation" });
    const { uid } = JSON.parse(await server.rest("/iam/v2beta1/groups", body));
    const settings = await readSettings(["--data", data.path], {});
    const secret = await notificationSecret(settings, host);
    const tells = alsoTellTo === undefined ? {} : { secret, alsoTellTo };
    const registry = await TestRegistry.start(server.url, host, tells);
    pin(registry.pid, bench.cores.serving);
    return new RegistrySite(bench, data, registry, uid, flags);
  }

  get path(): string {
    return `${this.organisation}/${REPO}`;
  }

  /** The server; it looks through the registry at once where that is wanted. */
  serve(looks: boolean): Promise<Wharf> {
    const more = looks ? [] : ["--reconcile-minutes", "0"];
    return serve(this.#bench, this.data.path, [...this.#flags, ...more]);
  }

  /** A token of the operator for the registry, as its clients send it. */
  async credentials(server: Wharf): Promise<string> {
    return JSON.parse(await server.rest(`/sts/exchange?aud=${this.host}`)).token;
  }

  /** Waits for the end of the look that began with the server. */
  async looked(): Promise<Look> {
    for (;;) {
      const log = readFileSync(join(this.data.path, "log"), "utf8");
      const line = log.split("\n").find((one) => one.includes("reconcile pass finished"));
      if (line !== undefined) return JSON.parse(line);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.registry.stop();
    this.data[Symbol.dispose]();
  }
}

/** It runs where all references do. */
function pin(pid: number, core: number | undefined): void {
  if (core !== undefined) spawnSync("taskset", ["-acp", String(core), String(pid)]);
}
