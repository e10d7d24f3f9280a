import assert from "node:assert/strict";
import { after, before } from "node:test";
import { ExposureWorld, newDigest } from "./support/exposure/exposure-world.ts";
import { HIGH } from "./support/exposure/osv-records.ts";
import {
  ExposureModel,
  type ModelImage,
  type ModelPackage,
  type ModelRecord,
  type ModelStatement,
} from "./support/oracle/exposure-model.ts";
import { Random, SEED } from "./support/oracle/random.ts";
import { runs } from "./support/oracle/runs.ts";
import { onEachStore } from "./support/world/world.ts";

const CHANGES = 25;

const LOW = "CVSS:3.1/AV:L/AC:H/PR:H/UI:R/S:U/C:L/I:N/A:N";

/** Severities by vector. Every record has one: others get those of records with the same names. */
const VECTORS: readonly (readonly [severity: number, vector: string])[] = [
  [2, LOW],
  [4, HIGH],
];

const CVES = [1, 2, 3].map((n) => `CVE-2026-900${n}`);

/** Ids of records with the package that each is about: a record stays about its package. */
const ABOUT: readonly (readonly [id: string, ecosystem: string, name: string, release?: string])[] =
  [
    ["GHSA-npmm-aaaa-0001", "npm", "left"],
    ["GHSA-npmm-aaaa-0002", "npm", "left"],
    ["GHSA-npmm-bbbb-0001", "npm", "right"],
    ["PYSEC-2026-9001", "PyPI", "snake"],
    ["WOLFI-1", "Wolfi", "main"],
    ["WOLFI-2", "Wolfi", "sub"],
    ["ALPINE-1", "Alpine", "main", "v3.19"],
    ["ALPINE-2", "Alpine", "main", "v3.20"],
  ];

const NAMES = [...CVES, ...ABOUT.map(([id]) => id)];

function versioned(ecosystem: string, version: number): string {
  return ["Wolfi", "Alpine"].includes(ecosystem) ? `${version}.0.0-r0` : `${version}.0.0`;
}

/** A package in a random version; of npm sometimes one that cannot be compared. */
function packageOf(random: Random): ModelPackage {
  const version = 1 + random.below(5);
  const kind = random.below(6);
  if (kind < 2) {
    const name = random.pick(["left", "right"]);
    if (random.below(4) > 0) return library("npm", name, version, `${version}.0.0`);
    return library("npm", name, undefined, "devel");
  }
  if (kind === 2) return library("PyPI", "snake", version, `${version}.0.0`);
  const [name, origin] = random.pick([["main"], ["sub", "main"], ["other", "main"]] as const);
  const ecosystem = random.pick(["Alpine", "Alpine", "Wolfi"]);
  const release = ecosystem === "Wolfi" ? undefined : random.pick(["v3.19", "v3.20", undefined]);
  const qualifiers = [
    ...(release === undefined ? [] : [`distro=alpine-${release.slice(1)}.1`]),
    ...(origin === undefined ? [] : [`upstream=${origin}`]),
  ];
  const query = qualifiers.length === 0 ? "" : `?${qualifiers.join("&")}`;
  const purl = `pkg:apk/${ecosystem.toLowerCase()}/${name}@${version}.0.0-r0${query}`;
  return { ecosystem, release, name, origin, version, purl };
}

function library(ecosystem: string, name: string, version: number | undefined, text: string) {
  return { ecosystem, name, version, purl: `pkg:${ecosystem.toLowerCase()}/${name}@${text}` };
}

function packagesOf(random: Random): ModelPackage[] {
  const some = new Map<string, ModelPackage>();
  for (let at = random.below(5); at >= 0; at--) {
    const one = packageOf(random);
    some.set(one.purl, one);
  }
  const all = [...some.values()];
  const owner = all.find(({ ecosystem }) => ecosystem === "Alpine" || ecosystem === "Wolfi");
  return all.map((one) =>
    owner !== undefined && ["npm", "PyPI"].includes(one.ecosystem) && random.below(2) === 0
      ? { ...one, owner: owner.purl }
      : one,
  );
}

function statementsOf(random: Random, packages: readonly ModelPackage[]): ModelStatement[] {
  return Array.from({ length: random.below(4) }, (_, time) => {
    const { purl } = random.pick(packages);
    return {
      vulnerability: random.pick(NAMES),
      product: random.below(2) === 0 ? purl : (purl.split(/[@?]/)[0] as string),
      status: random.pick(["not_affected", "affected", "fixed", "under_investigation"] as const),
      time: time + 1,
    };
  });
}

function recordOf(random: Random, group: string): ModelRecord {
  const [id, ecosystem, name, release] = random.pick(ABOUT);
  const isDistribution = ["Wolfi", "Alpine"].includes(ecosystem);
  const others = random.some(isDistribution ? CVES : NAMES, random.below(3));
  const isCleared = isDistribution && random.below(3) === 0;
  const from = random.below(3) === 0 ? 1 + random.below(3) : 0;
  const before = random.below(4) === 0 ? undefined : from + 1 + random.below(4);
  return {
    ...{ group, id, ecosystem, release, package: name, severity: random.pick(VECTORS)[0] },
    aliases: isDistribution ? [] : others.filter((one) => one !== id),
    upstream: isDistribution ? others : [],
    ranges: isCleared ? [] : [[from, before]],
  };
}

/** The record as OSV. */
function osvOf(record: ModelRecord, time: number, isWithdrawn: boolean): object {
  const { id, aliases, upstream, ecosystem, release, ranges, severity } = record;
  const modified = new Date(Date.parse("2026-03-01T00:00:00Z") + time * 1_000).toISOString();
  const text = (version: number) => (version === 0 ? "0" : versioned(ecosystem, version));
  const events = ranges.flatMap(([from, before]) => [
    { introduced: text(from) },
    ...(before === undefined ? [] : [{ fixed: text(before) }]),
  ]);
  const [, score = ""] = VECTORS.find(([one]) => one === severity) ?? [];
  return {
    ...{ schema_version: "1.7.0", id, modified, aliases, upstream },
    ...(isWithdrawn && { withdrawn: modified }),
    ...(score !== "" && { severity: [{ type: "CVSS_V3", score }] }),
    affected: [
      {
        package: {
          ecosystem: release === undefined ? ecosystem : `${ecosystem}:${release}`,
          name: record.package,
        },
        ranges: [
          {
            type: "ECOSYSTEM",
            events: ranges.length > 0 ? events : [{ introduced: "0" }, { fixed: "0" }],
          },
        ],
      },
    ],
  };
}

const STATUSES = {
  FINDING_STATUS_AFFECTED: 1,
  FINDING_STATUS_NOT_AFFECTED: 2,
  FINDING_STATUS_FIXED: 3,
} as const;

onEachStore("findings, compared with a model", (world) => {
  let exposure: ExposureWorld;
  before(async () => {
    exposure = await ExposureWorld.open(world);
  });
  after(() => exposure.close());

  world.rule("every change leaves the findings that follow from all there is", async () => {
    for (let run = 0; run < runs(5, 50); run++) await compare(new Random(SEED + run));
  });

  async function compare(random: Random): Promise<void> {
    const api = world.operator();
    const org = await world.organization();
    const { uid: reviewerUid, token } = await world.member();
    const reviewer = api.as(token);
    const one = await world.group(org);
    const inner = await world.group(one);
    const groups = [org, one, inner, await world.group(org)];
    await world.bind(org, reviewerUid, ["advisories.approve"]);
    const repos: string[] = [];
    for (const group of groups) {
      repos.push((await api.repos.create(group, { name: world.name("repo") })).uid);
    }
    const model = new ExposureModel();
    const clock = { time: 0 };

    async function putImage(digest: string, repo: string): Promise<void> {
      const packages = packagesOf(random);
      const image: ModelImage = {
        repo,
        digest,
        packages,
        statements: statementsOf(random, packages),
      };
      model.addImage(image);
      await exposure.image({
        ...{ repo, digest, tags: random.below(2) },
        packages: packages.map(({ purl, owner }) => ({ purl, ...(owner && { owner }) })),
        statements: image.statements.map(({ vulnerability, product, status, time }) => ({
          vulnerabilities: [vulnerability],
          products: [{ identifiers: [product], purls: [product], hashes: [], subcomponents: [] }],
          ...{ status, time },
        })),
      });
    }

    async function putRecord(): Promise<void> {
      const record = recordOf(random, random.pick(groups));
      const isWithdrawn = random.below(6) === 0;
      const key = `${record.group} ${record.id}`;
      if (isWithdrawn) model.records.delete(key);
      else model.records.set(key, record);
      await exposure.importOsv(record.group, osvOf(record, ++clock.time, isWithdrawn));
    }

    async function putDecision(): Promise<void> {
      const [statusName, status] = random.pick(Object.entries(STATUSES));
      const vulnerability = random.pick(NAMES);
      const scope = random.pick([...groups, ...repos]);
      const digest = random.below(4) === 0 ? random.pick([...model.images.keys()]) : undefined;
      const purl = random.below(3) === 0 ? random.pick([...model.packages.keys()]) : undefined;
      const named = purl?.split(/[@?]/)[0];
      const { uid } = await api.decisions.create(scope, {
        ...{ vulnerability, status: statusName, reason: "random" },
        ...(digest && { digest }),
        ...(named && { package: named }),
      });
      const state = random.below(5) === 0 ? "REJECTED" : "APPROVED";
      await reviewer.decisions.reviewDecision({ uid, state: `DECISION_REVIEW_STATE_${state}` });
      if (state === "REJECTED") return;
      const approved = ++clock.time;
      model.decisions.set(uid, {
        ...{ uid, scope, vulnerability, status, approved },
        digest,
        package: named,
      });
    }

    async function change(): Promise<string> {
      const kind = random.below(10);
      const digests = [...model.images.keys()];
      if (kind < 5) return putRecord().then(() => "record");
      if (kind < 7) return putDecision().then(() => "decision");
      if (kind === 7) {
        const [uid] = random.some([...model.decisions.keys()], 1);
        if (uid === undefined) return "nothing";
        model.decisions.delete(uid);
        await api.decisions.delete(uid);
        return "decision deleted";
      }
      if (kind === 8 && digests.length > 2) {
        const digest = random.pick(digests);
        model.images.delete(digest);
        await exposure.deleteImage(digest);
        return "image deleted";
      }
      const replaced = random.below(2) === 0 ? random.pick(digests) : undefined;
      const repo = model.images.get(replaced ?? "")?.repo ?? random.pick(repos);
      await putImage(replaced ?? newDigest(), repo);
      return "image";
    }

    for (const repo of repos) await putImage(newDigest(), repo);
    for (let at = 0; at < CHANGES; at++) {
      const what = await change();
      await exposure.drain();
      await mustEqual(model, `change ${at}, ${what}`);
    }
  }

  async function mustEqual(model: ExposureModel, when: string): Promise<void> {
    for (const digest of model.images.keys()) {
      const found = (await exposure.findings(digest)).filter(({ resolved }) => resolved === 0);
      const actual = found.map(({ vulnerability, purl, status, severity, detail }) => {
        const { names = [vulnerability], fixed = [] } = detail;
        const versions = fixed.map((text) => Number.parseInt(text, 10));
        return { vulnerability, names, purl, status, severity, fixed: versions };
      });
      assert.deepEqual(inOrder(actual), inOrder(model.findingsOf(digest)), when);
      const { stored, counted } = await exposure.counts(digest);
      assert.deepEqual(stored, counted, `${when}: counts`);
    }
  }
});

function inOrder<F extends { vulnerability: string; purl: string }>(findings: readonly F[]): F[] {
  const keyOf = ({ vulnerability, purl }: F) => `${vulnerability} ${purl}`;
  return [...findings].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}
