/** From a push to findings, decisions, events and the tag with the fix: all of it by the API, as its users see it. */
import assert from "node:assert/strict";
import { after, before } from "node:test";
import { ExposureWorld } from "./support/exposure/exposure-world.ts";
import { HIGH, later, osv } from "./support/exposure/osv-records.ts";
import { ImageWorld, layerOf } from "./support/world/image-world.ts";
import { onEachStore, type World } from "./support/world/world.ts";

/** A layer with the database of apk, in which a binary package is built from another source. */
function alpine(name: string, version: string): Buffer {
  const entry = (one: string) => `P:${one}\nV:${version}\nA:x86_64\nL:MIT\no:${name}\n\n`;
  return layerOf({
    "etc/os-release": "ID=alpine\nVERSION_ID=3.20.3\n",
    "lib/apk/db/installed": `${entry(name)}${entry(`${name}-libs`)}`,
  });
}

/** The fixtures of one test: no other test sees them. */
interface Place {
  readonly name: string;
  readonly repo: string;
  /** A package that no other image has. */
  readonly library: string;
  readonly id: string;
  readonly cve: string;
}

onEachStore(
  "findings of pushed images",
  (world: World) => {
    let images: ImageWorld;
    let exposure: ExposureWorld;
    let count = 0;
    before(async () => {
      images = await ImageWorld.of(world);
      exposure = await ExposureWorld.open(world);
    });
    after(() => exposure.close());

    const settled = async () => {
      await images.settled();
      await exposure.drain();
    };

    /** Pushes an image whose packages have version 1.0-r0, and imports the advisory that 1.1-r0 fixes. */
    async function affected(): Promise<Place & { digest: string }> {
      const number = 5000 + count++;
      const library = `lib${number}`;
      const name = `acme/pipeline-${number}`;
      const { digest } = await images.push(name, "latest", alpine(library, "1.0-r0"));
      await settled();
      const place = {
        ...{ name, library, repo: await images.repo(name) },
        ...{ id: `ALPINE-CVE-2026-${number}`, cve: `CVE-2026-${number}` },
      };
      await exposure.importOsv(world.registry.organization, record(place));
      await settled();
      return { ...place, digest };
    }

    function record({ id, cve, library }: Pick<Place, "id" | "cve" | "library">, more = {}) {
      return osv(id, "Alpine:v3.20", library, "1.1-r0", {
        ...{ aliases: [cve], summary: "reads too much" },
        ...{ severity: [{ type: "CVSS_V3", score: HIGH }], ...more },
      });
    }

    world.rule(
      "an image has the packages of its layers, and an advisory affects them",
      async (api) => {
        const { repo, digest, library, id, cve, name } = await affected();
        const { packages, totalCount } = await api.inventory.listImagePackages({
          repoUid: repo,
          digest,
        });
        assert.equal(totalCount, "2");
        assert.deepEqual(
          packages.map((one: Record<string, string>) => [one.name, one.ecosystem, one.origin]),
          [
            [library, "Alpine:v3.20", ""],
            [`${library}-libs`, "Alpine:v3.20", library],
          ],
        );
        const { findings } = await api.findings.list({ repoUid: repo, orderBy: "vulnerability" });
        assert.equal(findings.length, 2);
        for (const one of findings) {
          assert.deepEqual(
            [one.vulnerability, one.aliases, one.repoPath, one.digest, one.tags, one.platform],
            [cve, [id], name, digest, ["latest"], "linux/amd64"],
          );
          assert.deepEqual(
            [one.status, one.severity, one.fixedVersions, one.inUse, one.summary],
            [
              "FINDING_STATUS_AFFECTED",
              "FINDING_SEVERITY_HIGH",
              ["1.1-r0"],
              true,
              "reads too much",
            ],
          );
          assert.deepEqual(
            [one.basis.records, one.basis.groupUid],
            [[id], world.registry.organization],
          );
        }
        const matched = findings.map((one: { package: { name: string }; basis: object }) => [
          one.package.name,
          (one.basis as { matchedBy: string }).matchedBy,
        ]);
        assert.deepEqual(matched.sort(), [
          [library, "MATCHED_BY_NAME"],
          [`${library}-libs`, "MATCHED_BY_ORIGIN"],
        ]);
      },
    );

    world.rule("an approved decision suppresses a finding, which stays listed", async (api) => {
      const { repo, cve } = await affected();
      const owner = { [world.registry.organization]: "owner" };
      const [author, reviewer] = [
        api.as((await world.member(owner)).token),
        api.as((await world.member(owner)).token),
      ];
      const { uid } = await author.decisions.create(repo, {
        ...{ vulnerability: cve, status: "FINDING_STATUS_NOT_AFFECTED", reason: "never called" },
        justification: "vulnerable_code_not_in_execute_path",
      });
      await settled();
      assert.equal((await api.findings.list({ repoUid: repo })).totalCount, "2", "it waits");
      await reviewer.decisions.reviewDecision({ uid, state: "DECISION_REVIEW_STATE_APPROVED" });
      await settled();
      assert.equal((await api.findings.list({ repoUid: repo })).totalCount, "0");
      const statuses = ["FINDING_STATUS_NOT_AFFECTED"];
      const { findings } = await api.findings.list({ repoUid: repo, statuses });
      assert.equal(findings.length, 2);
      const { decision } = findings[0];
      assert.deepEqual(
        [decision.origin, decision.status, decision.decisionUid, decision.reason],
        ["DECISION_ORIGIN_DECISION", "FINDING_STATUS_NOT_AFFECTED", uid, "never called"],
      );
      const overview = await api.findings.getExposure({ uidp: { ids: [repo] } });
      assert.deepEqual([overview.suppressed, overview.severities], ["2", []]);
    });

    world.rule("the overview counts images and their open findings", async (api) => {
      const { repo, name } = await affected();
      await images.push(name, "without", "no file system");
      await images.push(name, "empty", layerOf({ "etc/hostname": "nothing" }));
      await settled();
      const overview = await api.findings.getExposure({ uidp: { ids: [repo] }, days: 2 });
      const { images: all, imagesWithPackages, imagesWithoutPackages, imagesAffected } = overview;
      const { imagesWithRefusedDocuments: refused } = overview;
      assert.deepEqual(
        [all, imagesWithPackages, imagesWithoutPackages, refused, imagesAffected],
        ["3", "1", "1", "1", "1"],
      );
      assert.deepEqual(overview.severities, [
        { severity: "FINDING_SEVERITY_HIGH", open: "2", fixable: "2", vulnerabilities: "1" },
      ]);
      assert.equal(overview.oldest.length, 2);
      const today = overview.days.at(-1);
      assert.deepEqual([overview.days.length, today.found, today.resolved], [2, "2", "0"]);
      assert.ok(Date.parse(overview.matchTime) > 0);
    });

    world.rule("a tag that moves to an image with the fix is the one that has it", async (api) => {
      const { name, repo, cve, id, library } = await affected();
      await images.push(name, "stable", alpine(library, "1.0-r0"));
      const { digest } = await images.push(name, "latest", alpine(library, "1.1-r0"));
      await images.push(name, "bare", "no file system");
      await settled();
      for (const vulnerability of [cve, id]) {
        const { tags } = await api.findings.listFixedTags({ repoUid: repo, vulnerability });
        assert.deepEqual(
          tags.map((one: Record<string, unknown>) => [
            one.tag,
            one.status,
            one.known,
            one.versions,
          ]),
          [
            ["bare", "FINDING_STATUS_UNSPECIFIED", false, []],
            ["latest", "FINDING_STATUS_UNSPECIFIED", true, ["1.1-r0"]],
            ["stable", "FINDING_STATUS_AFFECTED", true, ["1.0-r0"]],
          ],
        );
        assert.equal(tags[1].digest, digest);
      }
      // The first image has no tag any more, and is listed by its digest alone.
      const { findings } = await api.findings.list({ repoUid: repo, tag: "stable" });
      assert.equal(findings.length, 2);
    });

    world.rule(
      "repos have an event when they become affected, and one when they are cleared",
      async (api) => {
        const place = await affected();
        const { repo, name, cve, library, digest } = place;
        const events = async () => {
          await settled();
          await exposure.drainAll();
          const rows = await exposure.store.reader.all<{ type: string; body: string }>(
            "SELECT type, body FROM events WHERE subject = ? AND type LIKE 'exposure.%' ORDER BY time, id",
            repo,
          );
          return rows.map((row) => [row.type, JSON.parse(row.body)] as const);
        };
        const [[type, body] = [], ...others] = await events();
        assert.deepEqual(
          [type, body, others],
          [
            "exposure.image.affected.v1",
            { repoUid: repo, vulnerability: cve, images: 1, digests: [digest] },
            [],
          ],
        );
        await images.push(name, "latest", alpine(library, "1.1-r0"));
        const types = async () => (await events()).map(([one]) => one);
        assert.deepEqual(await types(), [
          "exposure.image.affected.v1",
          "exposure.image.cleared.v1",
        ]);
        // Withdrawn: nothing was open in an image with a tag, so there is nothing to announce.
        const withdrawn = { withdrawn: "2026-03-01T00:00:01Z" };
        await exposure.importOsv(world.registry.organization, later(record(place, withdrawn)));
        assert.equal((await types()).length, 2);
        const { totalCount } = await api.findings.list({ repoUid: repo });
        assert.equal(totalCount, "0");
      },
    );
  },
  { registry: true },
);
