import assert from "node:assert/strict";
import { ExposureWorld } from "../../../server/test/support/exposure/exposure-world.ts";
import { osv } from "../../../server/test/support/exposure/osv-records.ts";
import { ImageWorld, layerOf, spdxOf } from "../../../server/test/support/world/image-world.ts";
import type { Area } from "../support/area.ts";
import type { ConsoleSite } from "../support/site.ts";
import { ALPINE, NPM, PYPI, RECORDS } from "./exposure-packages.ts";

const SPDX = "application/spdx+json";

/** An image by its repository and tag, with the versions in which it differs from the others. */
interface Pushed {
  readonly repo: string;
  readonly tag: string;
  readonly purls: readonly string[];
}

const apk = (changes: Readonly<Record<string, string>> = {}) =>
  Object.entries({ ...ALPINE, ...changes }).map(
    ([name, version]) => `pkg:apk/alpine/${name}@${version}?arch=x86_64&distro=alpine-3.20.3`,
  );
const npm = (changes: Readonly<Record<string, string>> = {}) =>
  Object.entries({ ...NPM, ...changes }).map(([name, version]) => `pkg:npm/${name}@${version}`);
const pypi = Object.entries(PYPI).map(([name, version]) => `pkg:pypi/${name}@${version}`);

const PATCHED = { openssl: "3.3.3-r0", libcrypto3: "3.3.3-r0", libssl3: "3.3.3-r0" };

const IMAGES: readonly Pushed[] = [
  { repo: "payments-api", tag: "1.4.0", purls: [...apk(), ...npm()] },
  { repo: "payments-api", tag: "1.4.1", purls: [...apk(PATCHED), ...npm()] },
  {
    repo: "payments-api",
    tag: "1.5.0",
    purls: [...apk(PATCHED), ...npm({ ws: "8.18.0", "path-to-regexp": "0.1.12" })],
  },
  { repo: "storefront", tag: "2.0.0", purls: [...apk({ curl: "8.9.0-r1" }), ...npm()] },
  { repo: "mail-sender", tag: "0.9.3", purls: [...apk(), ...pypi] },
];

/** Pushes images with SBOMs of about 100 packages and others without, and imports advisories about some of them. */
async function fill(site: ConsoleSite, organization: string) {
  const { world } = site;
  const images = await ImageWorld.of(world);
  const exposure = await ExposureWorld.open(world);
  const pushed = new Map<string, string>();
  for (const { repo, tag, purls } of IMAGES) {
    const name = `acme/team/${repo}`;
    const { digest } = await images.push(name, tag, `layer of ${repo} ${tag}`);
    await images.attach(name, digest, SPDX, spdxOf(purls, `${repo} ${tag}`));
    pushed.set(`${repo}:${tag}`, digest);
  }
  const bare = await images.push(
    "acme/team/legacy-batch",
    "7",
    layerOf({ "srv/run.sh": "exec true" }),
  );
  const refused = await images.push(
    "acme/team/reports",
    "3.1",
    layerOf({ "srv/report.sh": "exec true" }),
  );
  await images.attach("acme/team/reports", refused.digest, SPDX, `{"spdxVersion":"SPDX-3.0"}`);
  await exposure.importOsv(
    organization,
    ...RECORDS.map(({ id, ecosystem, name, fixed, ...more }) =>
      osv(id, ecosystem, name, fixed, more),
    ),
  );
  await exposure.drain();
  await exposure.close();
  const repo = await images.repo("acme/team/payments-api");
  const parent = repo.slice(0, repo.lastIndexOf("/"));
  await decide(site, repo, parent);
  await scan(site, repo, pushed.get("payments-api:1.4.0") ?? "");
  const source = await site.world.http.post(
    `/exposure/v2beta1/vulnerabilitySources/${organization}`,
    {
      ...{ name: "Alpine and npm", kind: "VULNERABILITY_SOURCE_KIND_OSV", paused: true },
      ecosystems: ["Alpine", "npm"],
    },
  );
  assert.equal(source.status, 200, JSON.stringify(source.body));
  await images.settled();
  const { body } = await world.http.get(
    `/registry/v2beta1/tags?uidp.children_of=${repo}&name=1.4.0`,
  );
  return {
    organization,
    team: parent,
    repo,
    tag: body.tags[0].uid as string,
    image: pushed.get("payments-api:1.4.0") ?? "",
    batch: await images.repo("acme/team/legacy-batch"),
    bare: bare.digest,
    reports: await images.repo("acme/team/reports"),
    refused: refused.digest,
    source: source.body.uid as string,
  };
}

/** Decisions of the operator: one that is approved by somebody else, and one that waits. */
async function decide({ world }: ConsoleSite, repo: string, group: string): Promise<void> {
  const api = world.operator();
  const { token } = await world.member({ [group]: "owner" });
  const { uid } = await api.decisions.create(repo, {
    vulnerability: "CVE-2024-21538",
    status: "FINDING_STATUS_NOT_AFFECTED",
    justification: "vulnerable_code_not_in_execute_path",
    reason: "cross-spawn is only used by the build, never in the image’s entrypoint.",
  });
  await api.as(token).decisions.reviewDecision({
    uid,
    state: "DECISION_REVIEW_STATE_APPROVED",
    reason: "Checked the call graph.",
  });
  await api.as(token).decisions.create(group, {
    vulnerability: "CVE-2024-6119",
    status: "FINDING_STATUS_ACCEPTED",
    reason: "No TLS client in these services checks certificate names of others.",
    expireTime: new Date(Date.now() + 30 * 86_400_000).toISOString(),
  });
}

/** Uploads the report of a scanner that finds one vulnerability more and misses most. */
async function scan({ world }: ConsoleSite, repo: string, digest: string): Promise<void> {
  const match = (id: string, name: string, version: string, severity: string) => ({
    vulnerability: { id, severity, fix: { versions: [], state: "unknown" }, description: id },
    relatedVulnerabilities: [],
    artifact: { name, version, purl: `pkg:npm/${name}@${version}`, locations: [] },
  });
  const report = {
    matches: [
      match("CVE-2024-4068", "braces", "3.0.2", "High"),
      match("CVE-2024-39249", "async", "3.2.5", "High"),
    ],
    source: { type: "image", target: { repoDigests: [] } },
    descriptor: {
      ...{ name: "grype", version: "0.93.0" },
      db: { status: { built: "2026-05-01T00:00:00Z" } },
    },
  };
  const content = Buffer.from(JSON.stringify(report)).toString("base64");
  const path = `/exposure/v2beta1/repos/${repo}/digests/${digest}/scans`;
  const { status, body } = await world.http.post(path, { content });
  assert.equal(status, 200, JSON.stringify(body));
}

export const EXPOSURE: Area = {
  fill,
  screens: {
    vulnerabilities: ({ organization }) => `vulnerabilities/${organization}`,
    "vulnerabilities-list": ({ organization }) =>
      `vulnerabilities/${organization}?tab=list&severity=critical,high&fixable=true`,
    "vulnerabilities-fixes": ({ organization }) => `vulnerabilities/${organization}?tab=fixes`,
    "vulnerabilities-decisions": ({ organization }) =>
      `vulnerabilities/${organization}?tab=decisions`,
    "vulnerabilities-sources": ({ organization }) => `vulnerabilities/${organization}?tab=sources`,
    vulnerability: ({ organization }) => `vulnerability/${organization}/CVE-2024-6119`,
    "vulnerability-fixed": ({ organization }) =>
      `vulnerability/${organization}/CVE-2024-6119?tab=fixed`,
    "vulnerability-suppressed": ({ organization }) =>
      `vulnerability/${organization}/CVE-2024-21538?tab=suppressed`,
    "vulnerability-decisions": ({ organization }) =>
      `vulnerability/${organization}/CVE-2024-6119?tab=decisions`,
    package: ({ organization }) => `package/${organization}?package=openssl`,
    source: ({ source }) => `source/${source}`,
    compare: ({ repo }) => `compare/${repo}?from=1.4.0&to=1.5.0`,
    "compare-choose": ({ repo }) => `compare/${repo}`,
    "image-vulnerabilities": ({ repo, image }) => `image/${repo}/${image}?tab=vulnerabilities`,
    "image-scans": ({ repo, image }) =>
      `image/${repo}/${image}?tab=vulnerabilities&severity=critical&scanner=grype`,
    "image-packages": ({ repo, image }) => `image/${repo}/${image}?tab=packages`,
    "image-without-packages": ({ batch, bare }) => `image/${batch}/${bare}?tab=vulnerabilities`,
    "image-refused": ({ reports, refused }) => `image/${reports}/${refused}?tab=packages`,
    "tag-vulnerabilities": ({ tag }) => `tag/${tag}?tab=vulnerabilities`,
    "repo-vulnerabilities": ({ repo }) => `repo/${repo}?tab=vulnerabilities`,
    "repo-packages": ({ repo }) => `repo/${repo}?tab=packages`,
  },
  empty: ["vulnerabilities"],
};
