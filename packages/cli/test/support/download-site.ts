/** A web server with the files of a release, and the install script that downloads from it. */

import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { type Output, run } from "./release.ts";

export class DownloadSite {
  readonly url: string;
  /** Content of files that differs from the release; undefined for files that are missing. */
  readonly changed = new Map<string, Buffer | undefined>();
  readonly #server: Server;
  readonly #folder: string;

  private constructor(server: Server, folder: string) {
    this.#server = server;
    this.#folder = folder;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  static async start(folder: string): Promise<DownloadSite> {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const site = new DownloadSite(server, folder);
    server.on("request", ({ url = "" }, response) => {
      const name = url.slice(1);
      const content = site.changed.has(name) ? site.changed.get(name) : site.read(name);
      response.writeHead(content ? 200 : 404).end(content);
    });
    return site;
  }

  read(name: string): Buffer {
    return readFileSync(join(this.#folder, name));
  }

  /** Runs the install script of the release. */
  install(prefix: string, env: Readonly<Record<string, string>> = {}): Promise<Output> {
    const PATH = process.env.PATH as string;
    const settings = { PATH, WHARF_DOWNLOAD_URL: this.url, WHARF_PREFIX: prefix, ...env };
    return run("sh", [join(this.#folder, "install.sh")], { env: settings });
  }

  stop(): void {
    this.#server.close();
  }
}
