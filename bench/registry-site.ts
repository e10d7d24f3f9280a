/** A real registry attached to the server; its files are written directly instead of pushed. */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { notificationSecret } from "@wharf/server/app/admin.ts";
import { readSettings } from "@wharf/server/config/settings.ts";
import { TestRegistry } from "../packages/server/test/support/registry/distribution.ts";
import { RegistryStorage } from "../packages/server/test/support/registry/storage.ts";
import { freePort } from "../packages/server/test/support/server/free-port.ts";
import { ScratchData } from "./data-set.ts";
import { type Bench, serve } from "./row.ts";
import type { Wharf } from "./wharf.ts";

/** The repo of the benchmark rows. */
export const REPO = "app";

/** The results of a reconcile pass, from the log of the server. */
export interface PassResult {
  readonly ms: number;
  readonly manifests: number;
}

export class RegistrySite implements AsyncDisposable {
  readonly host: string;
  readonly registry: TestRegistry;
  readonly storage: RegistryStorage;
  readonly organization: string;
  readonly data: ScratchData;
  readonly #bench: Bench;
  readonly #flags: readonly string[];

  private constructor(
    bench: Bench,
    data: ScratchData,
    registry: TestRegistry,
    organization: string,
    flags: readonly string[],
  ) {
    this.#bench = bench;
    this.data = data;
    this.registry = registry;
    this.host = registry.host;
    this.storage = new RegistryStorage(registry.storage);
    this.organization = organization;
    this.#flags = flags;
  }

  /** A registry without notifications, or with notifications to the server and another endpoint. */
  static async open(bench: Bench, alsoNotify?: string): Promise<RegistrySite> {
    const data = new ScratchData();
    const host = `127.0.0.1:${await freePort()}`;
    // The registry is configured with the address of the server, so it must not change.
    const listen = ["--listen", `127.0.0.1:${await freePort()}`, "--registry-host", host];
    const flags = [...listen, "--registry-urls", `${host}=http://${host}`];
    await using server = await serve(bench, data.path, [...flags, "--reconcile-minutes", "0"]);
    const body = JSON.stringify({ name: "organization" });
    const { uid } = JSON.parse(await server.rest("/iam/v2beta1/groups", body));
    const settings = await readSettings(["--data", data.path], {});
    const secret = await notificationSecret(settings, host);
    const notifications = {
      endpoints: [
        endpointOf("wharf", `${server.url}/registry/notifications`, secret),
        endpointOf("other", alsoNotify ?? "", ""),
      ],
    };
    const options = alsoNotify === undefined ? {} : { more: { notifications } };
    const registry = await TestRegistry.start(server.url, host, options);
    pin(registry.pid, bench.cores.serving);
    return new RegistrySite(bench, data, registry, uid, flags);
  }

  get path(): string {
    return `${this.organization}/${REPO}`;
  }

  /** Starts the server, with a reconcile pass at startup if requested, on its data or a copy of them. */
  serve(looks: boolean, data = this.data.path): Promise<Wharf> {
    const more = looks ? [] : ["--reconcile-minutes", "0"];
    return serve(this.#bench, data, [...this.#flags, ...more]);
  }

  /** A token of the operator for the registry, as its clients send it. */
  async credentials(server: Wharf): Promise<string> {
    return JSON.parse(await server.rest(`/sts/exchange?aud=${this.host}`)).token;
  }

  /** Waits for the end of the reconcile pass at startup. */
  async looked(data = this.data.path): Promise<PassResult> {
    for (;;) {
      const log = readFileSync(join(data, "log"), "utf8");
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

/** An endpoint of notifications, as the configuration of the registry has it. */
function endpointOf(name: string, url: string, secret: string) {
  const headers = { Authorization: [`Bearer ${secret}`] };
  return { name, url, headers, timeout: "5s", threshold: 3, backoff: "1s" };
}

/** Runs on the core of the references. */
export function pin(pid: number, core: number | undefined): void {
  if (core !== undefined) spawnSync("taskset", ["-acp", String(core), String(pid)]);
}
