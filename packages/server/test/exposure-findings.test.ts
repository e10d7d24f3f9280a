/** Lists of findings of pushed images, compared with a slow model of all findings. */
import assert from "node:assert/strict";
import { after, before } from "node:test";
import type { ApiClient } from "./support/client/api-client.ts";
import { rejected } from "./support/client/api-error.ts";
import { Fleet } from "./support/exposure/pushed-fleet.ts";
import {
  daysOf,
  fixesOf,
  isFixable,
  keyOf,
  type ListedFinding,
  namesOf,
  OPEN,
  severitiesOf,
  severityOf,
  timeOf,
  vulnerabilitiesOf,
} from "./support/oracle/finding-lists.ts";
import { onEachStore } from "./support/world/world.ts";

const STATUSES = [1, 2, 3, 4, 5];
const EVERY = { statuses: STATUSES, resolvedSince: "1970-01-01T00:00:00Z" };
const DAY_MS = 24 * 3_600_000;

/** A filter of a request with its meaning. */
type Filter = readonly [request: object, accepts: (one: ListedFinding) => boolean];

type ListMethod = "listFindings" | "listFoundVulnerabilities" | "listFixes";

const KEYS = {
  listFindings: "findings",
  listFoundVulnerabilities: "vulnerabilities",
  listFixes: "fixes",
} as const;

onEachStore(
  "lists of findings",
  (world) => {
    let fleet: Fleet;
    let all: ListedFinding[];
    before(async () => {
      fleet = await Fleet.push(world);
      all = await listed(world.operator(), "listFindings", EVERY);
    });
    after(() => fleet.exposure.close());

    /** All pages of a list; every page has the number of all. */
    async function listed(api: ApiClient, method: ListMethod, request: object, pageSize = 200) {
      const found: ListedFinding[] = [];
      const totals = new Set<string>();
      for (let pageToken = ""; ; ) {
        const page = await api.findings[method]({ ...request, pageSize, pageToken });
        found.push(...page[KEYS[method]]);
        totals.add(page.totalCount);
        assert.ok(page[KEYS[method]].length <= pageSize);
        pageToken = page.nextPageToken;
        if (pageToken === "") break;
      }
      assert.deepEqual([...totals], [String(found.length)], "totals");
      return found;
    }

    const isOpen = (one: ListedFinding) => OPEN.includes(one.status) && !timeOf(one.resolveTime);
    const open = () => all.filter(isOpen);

    function filters(): Filter[] {
      const [index] = fleet.pushed.filter(({ images }) => images.length > 1);
      const [image] = fleet.pushed;
      const since = Date.now() - 15 * DAY_MS;
      const named = (name: string) => (one: ListedFinding) =>
        one.package.name === name || one.package.origin === name;
      const purl = (text: string) => (one: ListedFinding) =>
        one.package.purl === text || one.package.purl.startsWith(`${text}?`);
      return [
        [{ repoUid: fleet.repos[1] }, (one) => one.repoUid === fleet.repos[1]],
        [{ digest: image?.digest }, (one) => one.digest === image?.digest],
        [{ digest: index?.digest }, (one) => index?.images.includes(one.digest) ?? false],
        [{ tag: "same" }, (one) => one.tags.includes("same")],
        [{ tag: "index" }, (one) => one.tags.includes("index")],
        [{ tag: "none" }, () => false],
        [{ vulnerabilities: ["CVE-2026-1001"] }, (one) => namesOf(one).includes("CVE-2026-1001")],
        [{ vulnerabilities: ["GHSA-left-0001"] }, (one) => one.vulnerability === "CVE-2026-1001"],
        [
          { vulnerabilities: ["GHSA-odd", "GHSA-oddd-0001", "CVE-2026-2001"] },
          (one) => ["GHSA-oddd-0001", "CVE-2026-2001"].includes(one.vulnerability),
        ],
        [{ package: "left" }, named("left")],
        [{ package: "sys" }, named("sys")],
        [{ package: "pkg:npm/right" }, (one) => one.package.name === "right"],
        [{ package: "pkg:npm/right@1.0.0" }, purl("pkg:npm/right@1.0.0")],
        [{ package: "pkg:apk/alpine/sys@1.0-r0?arch=x86_64" }, purl("pkg:apk/alpine/sys@1.0-r0")],
        [{ severities: [2, 5] }, (one) => [2, 5].includes(severityOf(one))],
        [{ fixable: true }, isFixable],
        [{ fixable: false }, (one) => !isFixable(one)],
        [{ inUse: true }, (one) => one.inUse],
        [{ inUse: false }, (one) => !one.inUse],
        [{ knownExploited: true }, (one) => one.knownExploited],
        [{ knownExploited: false }, (one) => !one.knownExploited],
        [{ minExploitProbability: 0.25 }, (one) => one.exploitProbability >= 0.25],
        [
          { firstSeenSince: new Date(since).toISOString() },
          (one) => timeOf(one.firstSeen) >= since,
        ],
        [
          { uidp: { childrenOf: world.registry.team } },
          (one) => fleet.repos.slice(2).includes(one.repoUid),
        ],
        [
          { uidp: { descendantsOf: world.registry.organization } },
          (one) => fleet.repos.includes(one.repoUid),
        ],
        [{ uidp: { ids: [fleet.repos[3]] } }, (one) => one.repoUid === fleet.repos[3]],
      ];
    }

    world.rule("the fleet has findings of every kind", async () => {
      const rows = await fleet.exposure.store.reader.all<{ total: number }>(
        "SELECT count(*) AS total FROM findings",
      );
      assert.equal(all.length, Number(rows[0]?.total));
      assert.equal(new Set(all.map(keyOf)).size, all.length);
      assert.deepEqual(new Set(all.map(severityOf)), new Set([0, 2, 3, 4, 5]));
      for (const status of ["AFFECTED", "NOT_AFFECTED", "FIXED", "UNKNOWN"]) {
        assert.ok(
          all.some((one) => one.status === `FINDING_STATUS_${status}`),
          status,
        );
      }
      for (const [request, accepts] of filters().slice(0, -3)) {
        const count = all.filter(accepts).length;
        assert.ok(count < all.length, `${JSON.stringify(request)} excludes something`);
      }
      assert.ok(all.some(({ tags }) => tags.length === 0));
    });

    world.rule("each filter, and several at once, select what they say", async (api) => {
      const { random } = fleet;
      const kinds = filters();
      const choices = [
        ...kinds.map((one) => [one]),
        ...Array.from({ length: 25 }, () => random.some(kinds, 1 + random.below(3))),
      ];
      for (const some of choices) {
        const request = Object.assign({}, ...some.map(([one]) => one));
        // A later filter of one field replaces an earlier one.
        const effective = kinds.filter(([one]) =>
          Object.entries(one).every(([name, value]) => request[name] === value),
        );
        const accepts = (one: ListedFinding) => effective.every(([, isIn]) => isIn(one));
        const usual = await listed(api, "listFindings", request);
        assert.deepEqual(sorted(usual), sorted(open().filter(accepts)), JSON.stringify(request));
        const every = await listed(api, "listFindings", { ...request, ...EVERY });
        assert.deepEqual(sorted(every), sorted(all.filter(accepts)), JSON.stringify(request));
        const grouped = await listed(api, "listFoundVulnerabilities", {
          ...{ ...request, orderBy: "vulnerability" },
        });
        assert.deepEqual(grouped.map(comparable), vulnerabilitiesOf(open().filter(accepts)));
      }
    });

    world.rule("statuses, and resolved findings since a time, can be asked for", async (api) => {
      for (const status of STATUSES) {
        const found = await listed(api, "listFindings", { statuses: [status] });
        const expected = all.filter((one) => !timeOf(one.resolveTime) && statusOf(one) === status);
        assert.deepEqual(sorted(found), sorted(expected), `${status}`);
      }
      const times = all
        .map((one) => timeOf(one.resolveTime))
        .filter((time) => time > 0)
        .sort();
      const since = times[Math.floor(times.length / 2)] as number;
      assert.ok(times.length > 5);
      const resolvedSince = new Date(since).toISOString();
      const found = await listed(api, "listFindings", { resolvedSince });
      const expected = all.filter(
        (one) =>
          OPEN.includes(one.status) && (!one.resolveTime || timeOf(one.resolveTime) >= since),
      );
      assert.deepEqual(sorted(found), sorted(expected));
    });

    world.rule("every order goes both ways, and pages of any size have all once", async (api) => {
      const keys: Record<string, (one: ListedFinding) => string | number> = {
        severity: severityOf,
        first_seen: (one) => timeOf(one.firstSeen),
        vulnerability: (one) => one.vulnerability,
        repo: (one) => one.repoUid,
      };
      for (const [name, key] of Object.entries(keys)) {
        for (const direction of ["", "asc", "desc"]) {
          const orderBy = `${name} ${direction}`.trim();
          const whole = await listed(api, "listFindings", { ...EVERY, orderBy });
          const isDescending = direction === "desc" || (direction === "" && /^s|^f/.test(name));
          mustBeOrdered(whole, key, isDescending, orderBy);
          const paged = await listed(api, "listFindings", { ...EVERY, orderBy }, 7);
          assert.deepEqual(paged.map(keyOf), whole.map(keyOf), orderBy);
        }
      }
      const counts = { severity: severityOf, images: (one: ListedFinding) => Number(one.images) };
      for (const [name, key] of Object.entries(counts)) {
        for (const direction of ["asc", "desc"]) {
          const orderBy = `${name} ${direction}`;
          const whole = await listed(api, "listFoundVulnerabilities", { ...EVERY, orderBy });
          mustBeOrdered(whole, key, direction === "desc", orderBy);
          const paged = await listed(api, "listFoundVulnerabilities", { ...EVERY, orderBy }, 2);
          assert.deepEqual(paged, whole);
        }
      }
    });

    world.rule("fixes are counted by the package that has to change", async (api) => {
      const kinds = filters().filter(([one]) => !Object.keys(one).some((name) => OTHERS.has(name)));
      for (const [request, accepts] of [[{}, () => true] as Filter, ...kinds]) {
        const expected = fixesOf(open().filter(accepts));
        assert.deepEqual(await listed(api, "listFixes", request), expected);
        assert.deepEqual(await listed(api, "listFixes", request, 1), expected, "in pages");
      }
    });

    world.rule("the overview counts images with a tag, now and on each day", async (api) => {
      for (const inUse of [false, true]) {
        const isCounted = (one: ListedFinding) => one.tags.length > 0 && (!inUse || one.inUse);
        const counted = open().filter(isCounted);
        const overview = await api.findings.getExposure({ days: 30, inUse });
        assert.deepEqual(overview.severities, severitiesOf(counted));
        const affected = new Set(counted.map((one) => `${one.repoUid} ${one.digest}`));
        assert.equal(overview.imagesAffected, String(affected.size));
        const suppressed = all.filter((one) => isCounted(one) && !one.resolveTime && !isOpen(one));
        assert.equal(overview.suppressed, String(suppressed.length));
        const grave = counted.filter((one) => severityOf(one) >= 4);
        const oldest = grave
          .map((one) => timeOf(one.firstSeen))
          .sort((a, b) => a - b)
          .slice(0, 10);
        assert.deepEqual(
          overview.oldest.map((one: ListedFinding) => timeOf(one.firstSeen)),
          oldest,
        );
        assert.ok(overview.oldest.every(isCounted), "none of an image without tag");
        const history = all.filter((one) => isCounted(one) && OPEN.includes(one.status));
        const days = overview.days.map(({ date, severities, found, resolved }: ListedFinding) => {
          const counts = severities.map((one: ListedFinding) => [one.severity, one.open]);
          return { date, open: counts, found, resolved };
        });
        assert.deepEqual(days, daysOf(history, 30, Date.now()));
      }
    });

    world.rule("rows that change between pages neither repeat nor hide others", async (api) => {
      const request = { ...EVERY, orderBy: "vulnerability", pageSize: 5 };
      const first = await api.findings.list(request);
      const listing = await listed(api, "listFindings", { ...EVERY, orderBy: "vulnerability" });
      // One finding before the position and one after it disappear, and come back with other times.
      const [early, late] = [listing[1], listing[8]];
      await fleet.exposure.store.write(async (tx) => {
        for (const { vulnerability, firstSeen } of [early, late]) {
          const sql = "UPDATE findings SET first_seen = ? WHERE vulnerability = ?";
          await tx.run(sql, timeOf(firstSeen) + 1, vulnerability);
        }
      });
      const found = [...first.findings];
      for (let pageToken = first.nextPageToken; pageToken !== ""; ) {
        const page = await api.findings.list({ ...request, pageToken });
        found.push(...page.findings);
        pageToken = page.nextPageToken;
      }
      assert.deepEqual(found.map(keyOf), listing.map(keyOf));
      all = await listed(api, "listFindings", EVERY);
    });

    world.rule("requests that mean nothing are rejected with the field", async (api) => {
      const fields = async (method: ListMethod | "getExposure", request: object) =>
        Object.keys((await rejected(api.findings[method](request))).fields);
      for (const method of ["listFindings", "listFoundVulnerabilities"] as const) {
        assert.deepEqual(await fields(method, { orderBy: "digest" }), ["orderBy"]);
        assert.deepEqual(await fields(method, { orderBy: "severity up" }), ["orderBy"]);
        assert.deepEqual(await fields(method, { severities: [9] }), ["severities"]);
        assert.deepEqual(await fields(method, { statuses: [0] }), ["statuses"]);
        assert.deepEqual(await fields(method, { package: "pkg:npm" }), ["package"]);
        assert.deepEqual(await fields(method, { pageSize: -1 }), ["pageSize"]);
        assert.deepEqual(await fields(method, { pageToken: "none" }), ["pageToken"]);
      }
      assert.deepEqual(await fields("getExposure", { days: 401 }), ["days"]);
      const { nextPageToken } = await api.findings.list({ pageSize: 1 });
      const other = { pageSize: 1, orderBy: "repo", pageToken: nextPageToken };
      assert.deepEqual(await fields("listFindings", other), ["pageToken"]);
    });
  },
  { registry: true },
);

/** Fields that ListFixes does not have; and `inUse: false`, which it does not tell from nothing. */
const OTHERS = new Set([
  ...["tag", "vulnerabilities", "package", "severities", "fixable", "inUse", "knownExploited"],
  ...["minExploitProbability", "firstSeenSince"],
]);

function statusOf({ status }: ListedFinding): number {
  const names = ["AFFECTED", "NOT_AFFECTED", "FIXED", "UNKNOWN", "ACCEPTED"];
  return names.indexOf(status.replace("FINDING_STATUS_", "")) + 1;
}

function sorted(findings: readonly ListedFinding[]): string[] {
  return findings.map(keyOf).sort();
}

/** A counted vulnerability as the model has it. */
function comparable({ firstSeen, packages, aliases, ...one }: ListedFinding): object {
  return { ...one, firstSeen: timeOf(firstSeen), packages, aliases: [...aliases].sort() };
}

function mustBeOrdered(
  found: readonly ListedFinding[],
  key: (one: ListedFinding) => string | number,
  isDescending: boolean,
  message: string,
): void {
  for (const [at, one] of found.slice(1).entries()) {
    const previous = found[at] as ListedFinding;
    const [a, b] = isDescending ? [key(one), key(previous)] : [key(previous), key(one)];
    assert.ok(
      a < b || (a === b && previous.vulnerability <= one.vulnerability),
      `${message} ${at}`,
    );
  }
}
