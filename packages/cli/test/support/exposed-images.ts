/** A server with images in its registry and advisories about their packages, and the command as its operator. */
import assert from "node:assert/strict";
import { ImageWorld, layerOf } from "../../../server/test/support/world/image-world.ts";
import { World } from "../../../server/test/support/world/world.ts";
import { type Ended, type RunOptions, wharf } from "./command.ts";

const HIGH = "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:H";
const MEDIUM = "CVSS:3.1/AV:N/AC:H/PR:N/UI:N/S:U/C:L/I:L/A:N";

const record = (cve: string, fixed: string, score: string, summary: string) => ({
  ...{ schema_version: "1.7.0", id: `ALPINE-${cve}`, modified: "2026-03-01T00:00:00Z" },
  ...{ upstream: [cve], summary, severity: [{ type: "CVSS_V3", score }] },
  affected: [
    {
      package: { ecosystem: "Alpine:v3.20", name: "openssl" },
      ranges: [{ type: "ECOSYSTEM", events: [{ introduced: "0" }, { fixed }] }],
    },
  ],
});

/** Advisories about openssl: 3.3.2-r0 fixes the severe one, 3.3.2-r3 both. */
export const ADVISORIES = [
  record("CVE-2026-0001", "3.3.2-r0", HIGH, "Name checks can crash"),
  record("CVE-2026-0002", "3.3.2-r3", MEDIUM, "Curves can be read out of bounds"),
];

/** The layer of an image of Alpine 3.20 with a version of openssl. */
export function alpineLayer(openssl: string): Buffer {
  const packages = [
    ["libssl3", openssl, "openssl"],
    ["musl", "1.2.5-r0", "musl"],
  ];
  const entries = packages.map(([name, version, origin]) => {
    return `P:${name}\nV:${version}\nA:x86_64\nL:MIT\no:${origin}\n`;
  });
  return layerOf({
    "etc/os-release": "ID=alpine\nVERSION_ID=3.20.3\n",
    "lib/apk/db/installed": `${entries.join("\n")}\n`,
  });
}

export class ExposedImages {
  readonly world: World;
  readonly images: ImageWorld;
  readonly #env: Readonly<Record<string, string>>;

  private constructor(world: World, images: ImageWorld, token: string) {
    this.world = world;
    this.images = images;
    this.#env = { WHARF_API: world.server.url, WHARF_TOKEN: token };
  }

  static async start(): Promise<ExposedImages> {
    const world = await World.start({ registry: true });
    const images = await ImageWorld.of(world);
    const exposed = new ExposedImages(world, images, await world.server.token());
    for (const advisory of ADVISORIES) {
      const input = JSON.stringify(advisory);
      await exposed.ok(["advisories", "import", "-", "--parent", "acme"], { input });
    }
    return exposed;
  }

  /** Pushes an image with a version of openssl, and waits until it is assessed. */
  async push(name: string, tag: string, openssl: string): Promise<string> {
    const { digest } = await this.images.push(name, tag, alpineLayer(openssl));
    await this.images.settled();
    return digest;
  }

  run(args: readonly string[], { env, ...options }: RunOptions = {}): Promise<Ended> {
    return wharf(args, { ...options, env: { ...this.#env, ...env } });
  }

  /** Runs a command that must succeed, and returns what it printed. */
  async ok(args: readonly string[], options?: RunOptions): Promise<string> {
    const { code, stdout, stderr } = await this.run(args, options);
    assert.equal(code, 0, stderr);
    return stdout;
  }

  async json<T>(args: readonly string[], options?: RunOptions): Promise<T> {
    return JSON.parse(await this.ok([...args, "-o", "json"], options)) as T;
  }

  stop(): Promise<void> {
    return this.world.stop();
  }
}
