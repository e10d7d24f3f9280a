/** Pushed images of several repos with findings of every kind, for tests that compare lists with a slow model. */
import { Random, SEED } from "../oracle/random.ts";
import { MANIFEST } from "../registry/oci-client.ts";
import { ImageWorld, spdxOf } from "../world/image-world.ts";
import type { World } from "../world/world.ts";
import { ExposureWorld } from "./exposure-world.ts";
import { HIGH, later, osv } from "./osv-records.ts";

const SPDX = "application/spdx+json";
const DAY_MS = 24 * 3_600_000;

export const REPOS = ["acme/one", "acme/two", "acme/team/three", "acme/team/four"];

const LIBRARIES = ["left", "right", "middle", "outer"];

/** Vectors of severity, from the least severe. */
const VECTORS = [
  "CVSS:3.1/AV:L/AC:H/PR:H/UI:R/S:U/C:L/I:N/A:N",
  "CVSS:3.1/AV:N/AC:L/PR:L/UI:N/S:U/C:L/I:L/A:N",
  HIGH,
  "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H",
];

/** Numbers that texts order in another way. */
const MAJORS = [1, 2, 9, 10];

/** Each line of versions has a fix of its own. */
const LINES = MAJORS.map((major) => ({
  type: "SEMVER",
  events: [{ introduced: `${major}.0.0` }, { fixed: `${major}.8.0` }],
}));

/** An image or an index that was pushed. */
export interface Pushed {
  readonly repo: string;
  readonly digest: string;
  readonly images: readonly string[];
}

export class Fleet {
  readonly images: ImageWorld;
  readonly exposure: ExposureWorld;
  /** The uids of `REPOS`. */
  readonly repos: string[] = [];
  readonly pushed: Pushed[] = [];
  readonly random = new Random(SEED);
  #layers = 0;

  private constructor(images: ImageWorld, exposure: ExposureWorld) {
    this.images = images;
    this.exposure = exposure;
  }

  /** @example const fleet = await Fleet.push(world); // a world with `registry` */
  static async push(world: World): Promise<Fleet> {
    const fleet = new Fleet(await ImageWorld.of(world), await ExposureWorld.open(world));
    for (const name of REPOS) await fleet.#pushRepo(name);
    await fleet.settle();
    await fleet.#import(world.registry.organization);
    await fleet.#decide(world);
    await fleet.settle();
    await fleet.#spread();
    return fleet;
  }

  async settle(): Promise<void> {
    await this.images.settled();
    await this.exposure.drain();
  }

  /** Pushes an image with an SBOM. */
  async image(name: string, tag: string, purls: readonly string[], architecture = "amd64") {
    const layer = `no file system ${this.#layers++}`;
    const image = await this.images.push(name, tag, layer, { architecture });
    await this.images.attach(name, image.digest, SPDX, spdxOf(purls, `${tag}${architecture}`));
    return image;
  }

  async #pushRepo(name: string): Promise<void> {
    for (const tag of ["1", "2", "same"]) {
      const { digest } = await this.image(name, tag, this.#packages());
      const repo = await this.images.repo(name);
      this.pushed.push({ repo, digest, images: [digest] });
    }
    // The tag moves: the image before has none.
    await this.image(name, "same", this.#packages());
    const entries = [];
    for (const architecture of ["amd64", "arm64"]) {
      const one = await this.image(name, "", this.#packages(), architecture);
      entries.push({ mediaType: MANIFEST, ...one, platform: { os: "linux", architecture } });
    }
    const { digest } = await this.images.index(name, "index", entries);
    const repo = await this.images.repo(name);
    this.repos.push(repo);
    this.pushed.push({ repo, digest, images: entries.map((one) => one.digest) });
  }

  /** Packages that records are about, in some versions, and some that none is about. */
  #packages(): string[] {
    const { random } = this;
    const libraries = random
      .some(LIBRARIES, 4)
      .map((name) => `pkg:npm/${name}@${random.pick(MAJORS)}.0.0`);
    const apk = ["sys", "sys-tools"].map(
      (name) =>
        `pkg:apk/alpine/${name}@${1 + random.below(3)}.0-r0?distro=alpine-3.20&upstream=sys`,
    );
    const devel = random.below(3) === 0 ? ["pkg:npm/odd@devel"] : [];
    return [...libraries, ...apk, ...devel, "pkg:npm/%40scope/harmless@1.0.0"];
  }

  /** Records with and without a fix and aliases, of several severities; some are withdrawn again. */
  async #import(group: string): Promise<void> {
    const severity = (at: number) => ({
      severity: [{ type: "CVSS_V3", score: VECTORS[at % VECTORS.length] }],
    });
    const records = LIBRARIES.flatMap((name, at) =>
      [1, 2, 3].map((major) =>
        osv(`GHSA-${name}-000${major}`, "npm", name, major === 3 ? undefined : `${major + 1}.0.0`, {
          ...(major < 3 && { aliases: [`CVE-2026-1${at}0${major}`] }),
          ...severity(at + major),
          summary: `${name} reads ${major}`,
        }),
      ),
    );
    const more = [
      osv("ALPINE-CVE-2026-2001", "Alpine:v3.20", "sys", "2.0-r0", {
        ...{ aliases: ["CVE-2026-2001"], ...severity(3) },
      }),
      osv("GHSA-line-0001", "npm", "outer", undefined, {
        affected: [{ package: { ecosystem: "npm", name: "outer" }, ranges: LINES }],
      }),
      osv("GHSA-oddd-0001", "npm", "odd", "2.0.0", severity(2)),
    ];
    const gone = LIBRARIES.map((name, at) =>
      osv(`GHSA-gone-000${at}`, "npm", name, "3.0.0", severity(at)),
    );
    await this.exposure.importOsv(group, ...records, ...more, ...gone);
    await this.settle();
    const withdrawn = { withdrawn: "2026-03-01T00:00:01Z" };
    await this.exposure.importOsv(group, ...gone.map((one) => later({ ...one, ...withdrawn })));
    await this.settle();
  }

  /** Two statements of the organization, approved by somebody else. */
  async #decide(world: World): Promise<void> {
    const { organization, team } = world.registry;
    const owner = { [organization]: "owner" };
    const [author, reviewer] = [await world.member(owner), await world.member(owner)];
    const api = world.operator();
    for (const [scope, decision] of [
      [team, { vulnerability: "CVE-2026-1001", status: "FINDING_STATUS_FIXED", reason: "patched" }],
      [
        organization,
        { vulnerability: "CVE-2026-1101", status: "FINDING_STATUS_NOT_AFFECTED", reason: "unused" },
      ],
    ] as const) {
      const { uid } = await api.as(author.token).decisions.create(scope, decision);
      const state = "DECISION_REVIEW_STATE_APPROVED";
      await api.as(reviewer.token).decisions.reviewDecision({ uid, state });
    }
  }

  /** Times of the last weeks, and facts about some vulnerabilities: what waiting and sources would give. */
  async #spread(): Promise<void> {
    const { store } = this.exposure;
    const rows = await store.reader.all<Record<string, number | string>>(
      "SELECT image, vulnerability, version, resolved FROM findings ORDER BY image, vulnerability, version",
    );
    const images = await store.reader.all<{ id: number; repo: string; digest: string }>(
      "SELECT id, repo, digest FROM exposure_images ORDER BY id",
    );
    const now = Date.now();
    const ago = (days: number) => now - this.random.below(days * 24) * 3_600_000;
    await store.write(async (tx) => {
      for (const { image, vulnerability, version, resolved } of rows) {
        const seen = ago(30) - 5 * DAY_MS;
        await tx.run(
          "UPDATE findings SET first_seen = ?, resolved = ? WHERE image = ? AND vulnerability = ? AND version = ?",
          ...[seen, Number(resolved) === 0 ? 0 : seen + this.random.below(5 * DAY_MS)],
          ...[Number(image), vulnerability as string, Number(version)],
        );
      }
      for (const [at, { id, repo, digest }] of images.entries()) {
        if (at % 2 === 0) continue;
        await tx.run("UPDATE exposure_images SET pushed = 1 WHERE id = ?", Number(id));
        const sql = "UPDATE manifests SET pulled = ? WHERE repo = ? AND digest = ?";
        if (at % 3 === 0) await tx.run(sql, now, repo, digest);
      }
      for (const [name, exploited, probability] of [
        ["CVE-2026-1001", 1_700_000_000_000, 900_000],
        ["CVE-2026-1102", 0, 250_000],
        ["CVE-2026-2001", 1_700_000_000_000, 10],
      ] as const) {
        const sql =
          "INSERT INTO vulnerability_facts (name, exploited, probability, percentile, updated) VALUES (?, ?, ?, 0, 1)";
        await tx.run(sql, name, exploited, probability);
      }
    });
  }
}
