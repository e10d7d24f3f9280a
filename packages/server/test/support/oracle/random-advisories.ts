/** Random organizations, callers and advisories. */
import assert from "node:assert/strict";
import type { ApiClient } from "../client/api-client.ts";
import { listAll } from "../client/pagination.ts";
import type { Member, World } from "../world/world.ts";
import type { Stored } from "./advisory-model.ts";
import { Random } from "./random.ts";

/** Words that share parts, differ in case alone, or mean something to databases. */
const ARTIFACTS = [
  "openssl",
  "OpenSSL",
  "open_ssl",
  "100%",
  "back\\slash",
  "zlib",
  "straße",
  "it's",
];
const COMPONENTS = ["libcrypto3", "Lib-Crypto", "go-module", "", "zlib"];
const ALIASES = ["CVE-2026-1", "CVE-2026-11", "cve-2026-1", "GHSA-aa_a", "GHSA-aaxa", "ÉTÉ-1"];
const LOCATIONS = ["", "/usr/bin/x", "/lib/y"];
const AUTHORS = ["ann@example.com", "bob@example.com"];

const T0 = Date.UTC(2026, 0, 1);

/** The content of events of each type. */
const EVENTS: readonly ((random: Random) => object)[] = [
  (random) => ({ detection: { scanv1: { scanner: "grype", subpackage: random.pick(ARTIFACTS) } } }),
  () => ({ detection: { manual: {} } }),
  () => ({ truePositiveDetermination: { note: "yes" } }),
  (random) => ({ fixed: { fixedVersion: `1.${random.below(5)}` } }),
  () => ({ falsePositiveDetermination: { note: "no" } }),
  () => ({ analysisNotPlanned: {} }),
  () => ({ fixNotPlanned: {} }),
  () => ({ pendingUpstreamFix: {} }),
  () => ({ patched: { patchedVersions: ["1", "2"] } }),
];

/** The origin and the group of each built package. */
export interface Built {
  readonly place: string;
  readonly origin: string;
  readonly name: string;
}

interface Detection {
  readonly scanv1?: { readonly scanner: string; readonly subpackage: string };
}

/** Organizations, people and advisories with a past, made at random through the API alone. */
export class RandomAdvisories {
  readonly groups: string[] = [];
  readonly callers: Member[] = [];
  /** The places at which each caller may list advisories, by uid. */
  readonly places = new Map<string, string[]>();
  readonly built: Built[] = [];
  /** The existing resources, in the order of creation. */
  all: Stored[] = [];
  readonly #random: Random;
  readonly #world: World;
  readonly #writers: ApiClient[] = [];
  #ids = 0;

  constructor(world: World, seed: number) {
    this.#world = world;
    this.#random = new Random(seed);
  }

  async build(changes: number): Promise<void> {
    const random = this.#random;
    const roots = [await this.#world.organization(), await this.#world.organization()];
    this.groups.push(...roots);
    while (this.groups.length < 8) {
      this.groups.push(await this.#world.group(random.pick(this.groups)));
    }
    const rights = ["create", "update", "approve", "delete", "list"].map((c) => `advisories.${c}`);
    const bound = Object.fromEntries(roots.map((root) => [root, rights]));
    for (const protocol of ["REST", "gRPC", "REST"] as const) {
      const { token } = await this.#world.member(bound);
      this.#writers.push(this.#world.operator(protocol).as(token));
    }
    for (let count = 0; count < 5; count++) await this.#caller(count);
    for (let count = 0; count < changes; count++) await this.#change(count);
    await this.read();
  }

  /** Reads everything again. */
  async read(): Promise<void> {
    const request = { showDeleted: true, orderBy: "created_at", pageSize: 200 };
    const found = await Promise.all(
      this.groups.map((group) => {
        const uidp = { childrenOf: group };
        return listAll(this.#world.operator().advisories, "advisories", { ...request, uidp });
      }),
    );
    this.all = found.flatMap(({ items }) => items as Stored[]);
    for (const one of this.all) this.#learn(one);
  }

  /** A scanner that names a package says that it is built from the artifact; that fact stays. */
  #learn({ uid, artifactName: origin, events }: Stored): void {
    const place = uid.slice(0, uid.lastIndexOf("/"));
    for (const { detection } of events) {
      const name = (detection as Detection | undefined)?.scanv1?.subpackage ?? "";
      if (name !== "") this.built.push({ place, origin, name });
    }
  }

  async #caller(count: number): Promise<void> {
    const places = this.#random.some(this.groups, count % 4);
    const bound = Object.fromEntries(places.map((place) => [place, ["advisories.list"]]));
    const other = this.groups.find((group) => !places.includes(group)) as string;
    const member = await this.#world.member({ ...bound, [other]: ["groups.list"] });
    this.callers.push(member);
    this.places.set(member.uid, places);
  }

  async #change(count: number): Promise<void> {
    const random = this.#random;
    const known = this.all.filter(({ deleteTime }) => deleteTime === undefined);
    if (count < 10 || known.length === 0 || random.below(3) === 0) return this.#import();
    const { uid } = random.pick(known);
    const v1 = random.pick(this.#writers).v1;
    switch (random.below(6)) {
      case 0:
        await v1.advisories.create(random.pick(this.groups), this.#about());
        break;
      case 1:
        await v1.advisories.update(uid, this.#about());
        break;
      case 2:
        await v1.advisories.delete(uid);
        break;
      case 3: {
        const said = random.pick(EVENTS)(random) as { detection?: Detection };
        const { scanner, subpackage } = said.detection?.scanv1 ?? {};
        // Version 1 calls it by another name.
        const scan = { detection: { scanv1: { scanner, subpackageName: subpackage } } };
        await v1.advisoryEvents.create(uid, {
          ...(scanner ? scan : said),
          timestamp: this.#time(),
        });
        break;
      }
      default:
        await this.#review(uid);
    }
    await this.read();
  }

  #about() {
    const random = this.#random;
    return {
      artifactName: random.pick(ARTIFACTS),
      artifactType: random.pick(["apk", "image", "library"]),
      artifactArchitecture: random.pick(["x86_64", "aarch64", "all"]),
      componentName: random.pick(COMPONENTS),
      componentType: random.pick(["apk", "go-module", ""]),
      componentLocation: random.pick(LOCATIONS),
      aliases: random.some(ALIASES, random.below(4)),
    };
  }

  async #import(): Promise<void> {
    const random = this.#random;
    const place = random.pick(this.groups);
    const advisories = Array.from({ length: 1 + random.below(4) }, () => {
      const about = this.#about();
      const events = Array.from({ length: random.below(5) }, () => {
        const event = random.pick(EVENTS)(random);
        const author = random.below(2) === 0 ? "" : random.pick(AUTHORS);
        const reviewState = `REVIEW_STATE_${random.pick(["APPROVED", "APPROVED", "PENDING", "REQUEST_CHANGES", "REJECTED"])}`;
        return { ...event, author, reviewState, createTime: this.#time() };
      });
      const id = this.#ids++;
      const legacy = random.below(3) === 0 ? { legacyAdvisoryId: `CVE-old-${id % 4}` } : {};
      return { advisoryId: `CGA-${id}`, ...about, ...legacy, events };
    });
    const api = random.pick(this.#writers);
    const { results } = await api.advisoryImports.importAdvisories({
      parent: place,
      documents: [{ name: "x", advisories }],
    });
    assert.equal(results[0].created, advisories.length);
    await this.read();
  }

  /** Someone reviews an event that waits for it, if any does. */
  async #review(uid: string): Promise<void> {
    const random = this.#random;
    const v1 = random.pick(this.#writers).v1;
    const { items } = await v1.advisoryEvents.list({ parentId: uid });
    const waiting = items.find(({ status }: { status: string }) => status === "PENDING");
    if (waiting === undefined) return;
    const status = random.pick(["APPROVED", "APPROVED", "REJECTED", "REQUEST_CHANGES"]);
    try {
      await v1.advisoryEvents.update(waiting.id, { ...waiting, status });
    } catch (error) {
      // Its author cannot.
      assert.match(String(error), /the author of an event cannot review it/);
    }
  }

  /** Seldom the same twice. */
  #time(): string {
    return new Date(T0 + this.#random.below(40) * 60_000).toISOString();
  }
}
