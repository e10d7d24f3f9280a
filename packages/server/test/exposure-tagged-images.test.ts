/** Images with a tag by the state of their packages, and the numbers of their findings. */
import assert from "node:assert/strict";
import { after, before } from "node:test";
import type { Answer, ApiClient } from "./support/client/api-client.ts";
import { rejected } from "./support/client/api-error.ts";
import { newDigest } from "./support/exposure/exposure-world.ts";
import { Fleet } from "./support/exposure/pushed-fleet.ts";
import { layerOf } from "./support/world/image-world.ts";
import { onEachStore } from "./support/world/world.ts";

const STATES = ["UNSPECIFIED", "WAITING", "KNOWN", "NONE", "REFUSED"].map(
  (name) => `INVENTORY_STATE_${name}`,
);

interface Row {
  readonly repo: string;
  readonly digest: string;
  readonly state: number;
  readonly tags: number;
  readonly pushed: number;
  readonly pulled: number;
}

onEachStore(
  "images with a tag",
  (world) => {
    let fleet: Fleet;
    let rows: Row[];
    before(async () => {
      fleet = await Fleet.push(world);
      const bare = layerOf({ "etc/hostname": "x" });
      await fleet.images.push("acme/one", "bare", bare);
      await fleet.images.push("acme/team/four", "bare", bare);
      await fleet.images.push("acme/two", "odd", "no file system");
      await fleet.images.push("acme/two", "", bare);
      await fleet.settle();
      const stored = await fleet.exposure.store.reader.all<Row>(
        `SELECT i.repo, i.digest, i.state, i.tags, i.pushed, m.pulled FROM exposure_images i
         JOIN manifests m ON m.repo = i.repo AND m.digest = i.digest ORDER BY i.repo, i.digest`,
      );
      rows = stored.map((row) => ({
        ...row,
        tags: Number(row.tags),
        pushed: Number(row.pushed),
        pulled: Number(row.pulled),
      }));
    });
    after(() => fleet.exposure.close());

    const isInUse = ({ pushed, pulled }: Row) => pushed > 1 || pulled > 0;

    async function listed(api: ApiClient, request: object, pageSize = 200): Promise<Answer[]> {
      const images: Answer[] = [];
      for (let pageToken = ""; ; ) {
        const page = await api.inventory.listTaggedImages({ ...request, pageSize, pageToken });
        images.push(...page.images);
        pageToken = page.nextPageToken;
        if (pageToken !== "") continue;
        assert.equal(page.totalCount, String(images.length), JSON.stringify(request));
        return images;
      }
    }

    world.rule("are listed by the state of their packages", async (api) => {
      const { organization, team } = world.registry;
      const cases: readonly (readonly [request: object, accepts: (row: Row) => boolean])[] = [
        [{}, () => true],
        ...[1, 2, 3, 4].map(
          (state) => [{ states: [STATES[state]] }, (row: Row) => row.state === state] as const,
        ),
        [{ states: [STATES[3], STATES[4]] }, ({ state }) => state > 2],
        [{ states: [STATES[2], STATES[4]] }, ({ state }) => state % 2 === 0],
        [{ inUse: true }, isInUse],
        [{ inUse: false, states: [STATES[2]] }, (row) => row.state === 2 && !isInUse(row)],
        [
          { uidp: { ids: [fleet.repos[1]] }, states: [STATES[4]] },
          ({ repo, state }) => repo === fleet.repos[1] && state === 4,
        ],
        [{ uidp: { descendantsOf: team } }, ({ repo }) => repo.startsWith(`${team}/`)],
        [{ uidp: { childrenOf: organization } }, ({ repo }) => !repo.startsWith(`${team}/`)],
      ];
      for (const [request, accepts] of cases) {
        const expected = rows.filter((row) => row.tags > 0 && accepts(row));
        const name = JSON.stringify(request);
        assert.deepEqual(
          (await listed(api, request)).map(({ repoUid, inventory, inUse }) => {
            return [repoUid, inventory.digest, inventory.state, inUse];
          }),
          expected.map((row) => [row.repo, row.digest, STATES[row.state], isInUse(row)]),
          name,
        );
        const paged = await listed(api, request, 3);
        assert.deepEqual(
          paged.map(({ inventory }) => inventory.digest),
          expected.map(({ digest }) => digest),
          name,
        );
      }
      const [refused] = await listed(api, { states: [STATES[4]] });
      assert.deepEqual(
        [refused.repoPath, refused.tags, refused.inventory.reason !== ""],
        ["acme/two", ["odd"], true],
      );
      for (const states of [["INVENTORY_STATE_UNSPECIFIED"], [77]]) {
        const { fields } = await rejected(api.inventory.listTaggedImages({ states }));
        assert.deepEqual(Object.keys(fields), ["states"]);
      }
    });

    world.rule("have as many as the overview counts", async (api) => {
      for (const inUse of [false, true]) {
        const overview = await api.findings.getExposure({ inUse });
        const count = async (state: number) =>
          String((await listed(api, { states: [STATES[state]], ...(inUse && { inUse }) })).length);
        assert.deepEqual(
          [
            overview.imagesWaiting,
            overview.imagesWithPackages,
            overview.imagesWithoutPackages,
            overview.imagesWithRefusedDocuments,
          ],
          await Promise.all([1, 2, 3, 4].map(count)),
        );
      }
    });

    world.rule("have numbers of open findings by severity", async (api) => {
      const unknown = newDigest();
      for (const repoUid of fleet.repos) {
        const findings: Answer[] = [];
        for (let pageToken = ""; ; ) {
          const page = await api.findings.list({ repoUid, pageSize: 200, pageToken });
          findings.push(...page.findings);
          pageToken = page.nextPageToken;
          if (pageToken === "") break;
        }
        const pushed = fleet.pushed.filter(({ repo }) => repo === repoUid);
        const digests = [unknown, ...pushed.map(({ digest }) => digest)];
        const { images } = await api.findings.countFindings({ repoUid, digests });
        const expected = pushed.map(({ digest, images: own }) => ({
          digest,
          state: STATES[2],
          counts: own
            .map((one) => countsOf(findings.filter((finding) => finding.digest === one)))
            .sort(worstFirst)[0],
        }));
        const byDigest = (a: { digest: string }, b: { digest: string }) =>
          a.digest < b.digest ? -1 : 1;
        assert.deepEqual(
          images
            .map(({ digest, state, severities }: Answer) => ({
              ...{ digest, state },
              counts: severities.map((one: Answer) => [
                SEVERITIES.indexOf(one.severity),
                Number(one.open),
                Number(one.fixable),
              ]),
            }))
            .sort(byDigest),
          expected.sort(byDigest),
        );
      }
      const [repoUid] = fleet.repos;
      const { fields } = await rejected(api.findings.countFindings({ repoUid, digests: ["x"] }));
      assert.deepEqual(Object.keys(fields), ["digests"]);
      const bare = rows.find(({ repo, state }) => repo === repoUid && state === 3)?.digest;
      const { images } = await api.findings.countFindings({ repoUid, digests: [bare] });
      assert.deepEqual(
        images.map(({ state, severities }: Answer) => [state, severities]),
        [[STATES[3], []]],
      );
    });
  },
  { registry: true },
);

const SEVERITIES = ["UNSPECIFIED", "NEGLIGIBLE", "LOW", "MEDIUM", "HIGH", "CRITICAL"].map(
  (name) => `FINDING_SEVERITY_${name}`,
);

/** Severity, open and fixable findings, the worst first. */
type Counts = readonly (readonly [severity: number, open: number, fixable: number])[];

function countsOf(findings: readonly Answer[]): Counts {
  return SEVERITIES.flatMap((name, severity) => {
    const some = findings.filter((one) => one.severity === name);
    const fixable = some.filter(({ fixedVersions }) => fixedVersions.length > 0).length;
    return some.length === 0 ? [] : [[severity, some.length, fixable] as const];
  }).reverse();
}

/** By the numbers of each severity, from the most severe one. */
function worstFirst(a: Counts, b: Counts): number {
  for (const severity of [5, 4, 3, 2, 1, 0]) {
    const open = (counts: Counts) => counts.find(([one]) => one === severity)?.[1] ?? 0;
    const difference = open(b) - open(a);
    if (difference !== 0) return difference;
  }
  return 0;
}
