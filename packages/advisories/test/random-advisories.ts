import { fromJson, type JsonObject } from "@bufbuild/protobuf";
import { type Advisory, AdvisorySchema } from "@wharf/contract/messages";

/** For tests: a seeded random number generator from 0 to below 1. */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** For tests: picks one of several. */
export function picking(random: () => number) {
  return <T>(...choices: readonly T[]): T => choices[Math.floor(random() * choices.length)] as T;
}

/** Usual and unusual names of artifacts. */
const NAMES = ["openssl", "gtk+3.0", "Django", "acme/app", "a//b", "ärger & co", "@acme/x"];
const OTHER_NAMES = ["org.acme:lib", "ghcr.io/acme/App", "registry.example.com/acme/app", "a:b/c"];

const NOTES = [
  ...["", "  ", "End of life.", " leading and trailing ", "two\nlines", "A fix is not planned."],
  ...["This version was patched. x", "The vulnerability does not affect this package."],
  "A fix is not available yet: it has to come from upstream. Known as:\nCVE-1",
];

const VERSIONS = ["1.0-r0", "3.5.0-r0", "v1.2+build", `sha256:${"0a".repeat(32)}`, "a b@c?d#e"];

/** Types of packages that survive a round trip. */
const EVERYWHERE: readonly (readonly [type: string, componentType: string, location: string])[] = [
  ["apk", "apk", ""],
  ["apk", "go-module", "/usr/bin/tool"],
  ["apk", "", "pkg:odd at the place"],
  ["library", "python", ""],
  ["library", "java-archive", "/x.jar"],
  ["npm", "npm", "node_modules/x"],
  ["image", "image", ""],
  ["image", "apk", ""],
  ["pypi", "pypi", ""],
  ["something", "else", ""],
];

/** Locations that OpenVEX does not include. */
const RELEASES = [
  ["deb", "deb", "Ubuntu:24.04:LTS"],
  ["apk", "apk", "Alpine:v3.20"],
  ["rpm", "rpm", "Red Hat:enterprise_linux:9"],
] as const;

/**
 * For tests: random advisories, many of them on the same packages and vulnerabilities.
 *
 * @param hasReleases whether some have a release of a distribution
 */
export function randomAdvisories(seed: number, count: number, hasReleases = true): Advisory[] {
  const random = randomOf(seed);
  const pick = picking(random);
  const some = <T>(...all: readonly T[]): T[] => all.filter(() => random() < 0.4);
  const note = () => pick(...NOTES);
  const types = (): JsonObject =>
    pick<JsonObject>(
      { detection: { manual: {} } },
      { detection: { scanv1: { scanner: "grype", component: "zlib" } } },
      { detection: { nvdapi: { cpeSearched: "a", cpeFound: "b" } } },
      { truePositiveDetermination: { note: note() } },
      { falsePositiveDetermination: { type: Math.floor(random() * 8), note: note() } },
      { fixed: { fixedVersion: pick("", ...VERSIONS), note: note() } },
      { patched: { patchedVersions: some(...VERSIONS), note: note() } },
      { fixNotPlanned: { note: note() } },
      { analysisNotPlanned: { note: note() } },
      { pendingUpstreamFix: { note: note() } },
      { componentLocationChanged: { previousLocation: "/a", newLocation: "/b" } },
    );
  const event = (): JsonObject => ({
    createTime: `2026-0${pick(1, 2)}-0${pick(1, 2, 3)}T00:00:00.${pick("001", "500")}Z`,
    author: pick("writer@example.com", "other@example.com"),
    reviewState: pick("REVIEW_STATE_APPROVED", "REVIEW_STATE_APPROVED", "REVIEW_STATE_PENDING"),
    ...types(),
  });
  return Array.from({ length: count }, (_, at) => {
    const name = pick(...NAMES, ...OTHER_NAMES);
    const kinds = hasReleases ? [...EVERYWHERE, ...RELEASES] : EVERYWHERE;
    const [artifactType, componentType, componentLocation] = pick(...kinds);
    const events = Array.from({ length: 1 + Math.floor(random() * 4) }, event);
    const isOwnId = random() < 0.7;
    return fromJson(AdvisorySchema, {
      advisoryId: isOwnId
        ? `CGA-2222-3333-${idPart(at)}`
        : pick(`ACME-${at}`, `x_${at}`, `ä/${at}`),
      ...(random() < 0.3 ? { legacyAdvisoryId: `OLD-${at}` } : {}),
      createTime: "2026-01-02T03:04:05.678Z",
      updateTime: "2026-02-03T04:05:06.789Z",
      author: "writer@example.com",
      artifactName: name,
      artifactType,
      artifactArchitecture: pick("x86_64", "aarch64", "all", "", "noarch", "amd64"),
      componentName: pick(name, name, "zlib", ""),
      componentType,
      componentLocation,
      aliases: some(
        "CVE-2026-0001",
        "CVE-2026-0002",
        "GHSA-2222-3333-4444",
        "Odd name",
        "CGA-xxxx-xxxx-xxxx",
      ),
      events: events.sort((a, b) => ((a.createTime as string) < (b.createTime as string) ? -1 : 1)),
    });
  });
}

function idPart(number: number): string {
  const letters = "23456789cfghjmpqrvwx";
  return [8000, 400, 20, 1]
    .map((unit) => letters[Math.floor(number / unit) % letters.length])
    .join("");
}
