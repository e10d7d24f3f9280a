/** Packages, images and tags of pushed images, compared with the packages of each image. */
import assert from "node:assert/strict";
import { after, before } from "node:test";
import type { Answer, ApiClient } from "./support/client/api-client.ts";
import { rejected } from "./support/client/api-error.ts";
import { Fleet, REPOS } from "./support/exposure/pushed-fleet.ts";
import { keyOf, namesOf } from "./support/oracle/finding-lists.ts";
import { onEachStore } from "./support/world/world.ts";

const OPEN = { statuses: [1, 4] };
const EVERY = { statuses: [1, 2, 3, 4, 5] };

/** A package of an image, with what lists show of the image. */
interface Content {
  readonly repo: string;
  readonly digest: string;
  readonly inUse: boolean;
  readonly tags: number;
  readonly one: Answer;
}

onEachStore(
  "packages of images",
  (world) => {
    let fleet: Fleet;
    let contents: Content[];
    let findings: Answer[];
    before(async () => {
      fleet = await Fleet.push(world);
      const api = world.operator();
      findings = (await api.findings.list({ ...EVERY, pageSize: 200 })).findings;
      const { findings: more } = await api.findings.list({
        ...{ ...EVERY, pageSize: 200, orderBy: "severity asc" },
      });
      findings = [...new Map([...findings, ...more].map((one) => [keyOf(one), one])).values()];
      contents = await readContents(api);
    });
    after(() => fleet.exposure.close());

    async function readContents(api: ApiClient): Promise<Content[]> {
      const rows = await fleet.exposure.store.reader.all<{
        repo: string;
        digest: string;
        tags: number;
        pushed: number;
        pulled: number;
      }>(
        `SELECT i.repo, i.digest, i.tags, i.pushed, m.pulled FROM exposure_images i
         JOIN manifests m ON m.repo = i.repo AND m.digest = i.digest`,
      );
      const all: Content[] = [];
      for (const { repo, digest, tags, pushed, pulled } of rows) {
        const { packages } = await api.inventory.listImagePackages({ repoUid: repo, digest });
        const inUse = (Number(tags) > 0 && Number(pushed) > 1) || Number(pulled) > 0;
        for (const one of packages) all.push({ repo, digest, tags: Number(tags), inUse, one });
      }
      return all;
    }

    const textOf = ({ repo, digest, one }: Omit<Content, "inUse" | "tags">) =>
      `${repo} ${digest} ${one.purl}`;

    async function imagesWith(api: ApiClient, request: object, pageSize = 200) {
      const images: Answer[] = [];
      let skipped: string[] = [];
      for (let pageToken = ""; ; ) {
        const page = await api.inventory.listPackageImages({ ...request, pageSize, pageToken });
        images.push(...page.images);
        skipped = page.skipped?.versions ?? [];
        pageToken = page.nextPageToken;
        if (pageToken === "") {
          assert.equal(page.totalCount, String(images.length));
          const keys = images.map((one) => `${one.repoUid} ${one.digest} ${one.package.purl}`);
          return { images, keys, skipped };
        }
      }
    }

    world.rule("an image lists its packages by name, those that contain a text", async (api) => {
      const { repo = "", digest = "" } = fleet.pushed[0] ?? {};
      const own = contents.filter((one) => one.repo === repo && one.digest === digest);
      const request = { repoUid: repo, digest };
      for (const query of ["", "SYS", "pkg:npm", "scope/harm", "none of them", "%", "_"]) {
        const found: Answer[] = [];
        for (let pageToken = ""; ; ) {
          const page = await api.inventory.listImagePackages({
            ...{ ...request, query, pageSize: 2, pageToken },
          });
          found.push(...page.packages);
          pageToken = page.nextPageToken;
          if (pageToken !== "") continue;
          assert.equal(page.totalCount, String(found.length));
          break;
        }
        const text = query.toLowerCase();
        const expected = own.filter(({ one }) =>
          `${one.name}\n${one.purl}`.toLowerCase().includes(text),
        );
        assert.deepEqual(
          found,
          expected.map(({ one }) => one),
          query,
        );
        assert.deepEqual(
          found.map(({ name }) => name),
          found.map(({ name }) => name).sort(),
        );
      }
      const index = fleet.pushed.find(({ images }) => images.length > 1)?.digest ?? "";
      const ofIndex = await rejected(
        api.inventory.listImagePackages({ repoUid: repo, digest: index }),
      );
      assert.equal(ofIndex.code, 5);
    });

    world.rule("images are found by a package in them, those in use first", async (api) => {
      const named = (name: string) => (one: Answer) => one.name === name || one.origin === name;
      const cases: readonly (readonly [request: object, accepts: (one: Answer) => boolean])[] = [
        [{ package: "left" }, named("left")],
        [{ package: "sys" }, named("sys")],
        [{ package: "none" }, () => false],
        [{ package: "pkg:npm/left" }, named("left")],
        [{ package: "pkg:npm/left@9.0.0" }, (one) => one.purl === "pkg:npm/left@9.0.0"],
        [{ package: "pkg:npm/lef" }, () => false],
        [{ package: "pkg:npm/%40scope/harmless" }, named("@scope/harmless")],
        [{ package: "pkg:npm/@scope/harmless@1.0.0" }, named("@scope/harmless")],
        [
          { package: "pkg:apk/alpine/sys@1.0-r0?arch=x" },
          ({ name, version }) => name === "sys" && version === "1.0-r0",
        ],
        [{ package: "sys", ecosystem: "Alpine" }, named("sys")],
        [{ package: "sys", ecosystem: "Alpine:v3.20" }, named("sys")],
        [{ package: "sys", ecosystem: "Alpine:v3.19" }, () => false],
        [{ package: "sys", ecosystem: "npm" }, () => false],
        [
          { package: "left", versionRange: ">=2.0.0, <10.0.0" },
          ({ name, version }) => name === "left" && ["2.0.0", "9.0.0"].includes(version),
        ],
        [
          { package: "left", versionRange: "10.0.0" },
          ({ name, version }) => name === "left" && version === "10.0.0",
        ],
        [{ package: "left", versionRange: "<1.0.0" }, () => false],
        [
          { package: "sys", versionRange: ">1.0-r0" },
          (one) => named("sys")(one) && one.version !== "1.0-r0",
        ],
      ];
      for (const [request, accepts] of cases) {
        const expected = contents.filter(({ one }) => accepts(one));
        for (const inUse of [undefined, true, false]) {
          const some = expected.filter((one) => inUse === undefined || one.inUse === inUse);
          const all = { ...request, ...(inUse !== undefined && { inUse }) };
          const { images, keys } = await imagesWith(api, all);
          assert.deepEqual([...keys].sort(), some.map(textOf).sort(), JSON.stringify(all));
          const uses = images.map((one) => Number(one.inUse));
          assert.deepEqual(
            uses,
            uses.toSorted((a, b) => b - a),
          );
          assert.deepEqual((await imagesWith(api, all, 3)).keys, keys, "in pages");
        }
      }
      assert.ok(contents.some(({ one }) => one.version === "9.0.0"));
    });

    world.rule(
      "versions that cannot be compared are named, and their images are not listed",
      async (api) => {
        assert.ok((await imagesWith(api, { package: "odd" })).images.length > 0);
        const { images, skipped } = await imagesWith(api, {
          package: "odd",
          versionRange: ">=1.0.0",
        });
        assert.deepEqual([images, skipped], [[], ["devel"]]);
        const field = async (versionRange: string) =>
          Object.keys(
            (await rejected(api.inventory.listPackageImages({ package: "odd", versionRange })))
              .fields,
          );
        assert.deepEqual(await field(">=1.0.0,"), ["versionRange"]);
        assert.deepEqual(
          Object.keys((await rejected(api.inventory.listPackageImages({}))).fields),
          ["package"],
        );
      },
    );

    world.rule("one text finds vulnerabilities, packages and images", async (api) => {
      const search = (query: string, more = {}) => api.inventory.searchExposure({ query, ...more });
      const vulnerabilities = async (query: string) =>
        (await search(query)).vulnerabilities.map((one: Answer) => one.vulnerability).sort();
      const names = [...new Set(findings.map((one) => one.vulnerability as string))].sort();
      assert.deepEqual(
        await vulnerabilities("cve-2026-1"),
        names.filter((one) => one.startsWith("CVE-2026-1")),
      );
      for (const name of ["GHSA-left-0001", "ghsa-LEFT-0001", " GHSA-left-0001 "]) {
        assert.deepEqual(await vulnerabilities(name), ["CVE-2026-1001"], name);
      }
      const counted = (await search("CVE-2026-2001")).vulnerabilities[0];
      const affected = findings.filter((one) => one.vulnerability === "CVE-2026-2001");
      assert.equal(counted.images, String(new Set(affected.map(({ digest }) => digest)).size));
      const { packages } = await search("SYS");
      assert.deepEqual(
        packages.map((one: Answer) => [one.ecosystem, one.name]),
        [
          ["Alpine", "sys"],
          ["Alpine", "sys-tools"],
        ],
        "the same name first",
      );
      const own = contents.filter(({ one }) => one.name === "sys");
      assert.equal(packages[0].images, String(own.length));
      assert.deepEqual(
        packages[0].versions,
        [...new Set(own.map(({ one }) => one.version))].sort(),
      );
      const { repo, digest, images } = fleet.pushed.find((one) => one.images.length > 1) ??
        fleet.pushed[0] ?? { repo: "", digest: "", images: [] };
      const found = async (query: string) =>
        (await search(query)).images
          .filter((one: Answer) => one.repoUid === repo)
          .map((one: Answer) => one.digest)
          .sort();
      for (const query of [digest, digest.slice(0, 20), digest.slice(7, 20), "one:index"]) {
        assert.deepEqual(await found(query), [...images].sort(), query);
      }
      assert.deepEqual(await found(images[0] ?? ""), [images[0]]);
      const ofRepo = new Set(
        contents.filter((one) => one.repo === fleet.repos[2]).map((one) => one.digest),
      );
      const all = (await search("THREE", { limit: 50 })).images;
      assert.deepEqual(new Set(all.map((one: Answer) => one.digest)), ofRepo);
      assert.equal(all[0].repoPath, REPOS[2]);
      assert.equal((await search("a", { limit: 1 })).images.length <= 1, true);
      for (const more of [{ query: " " }, { limit: 51 }, { limit: -1 }]) {
        const [field = ""] = Object.keys(more);
        assert.deepEqual(Object.keys((await rejected(search("a", more))).fields), [field]);
      }
    });

    world.rule("two images differ by packages and findings", async (api) => {
      const [a, b] = [fleet.pushed[0], fleet.pushed[5]];
      assert.ok(a && b);
      const of = ({ repo, digest }: { repo: string; digest: string }) =>
        contents.filter((one) => one.repo === repo && one.digest === digest).map(({ one }) => one);
      const ask = { fromRepoUid: a.repo, from: "1", toRepoUid: b.repo, to: b.digest };
      const difference = await api.findings.diffImages(ask);
      assert.deepEqual([difference.fromDigest, difference.toDigest], [a.digest, b.digest]);
      const names = (some: Answer[]) => new Map(some.map((one) => [one.name, one.purl as string]));
      const [before, now] = [names(of(a)), names(of(b))];
      const purls = (some: Answer[]) => some.map(({ purl }) => purl).sort();
      const only = (some: Map<string, string>, others: Map<string, string>) =>
        [...some]
          .filter(([name]) => !others.has(name))
          .map(([, purl]) => purl)
          .sort();
      assert.deepEqual(purls(difference.addedPackages), only(now, before));
      assert.deepEqual(purls(difference.removedPackages), only(before, now));
      const changed = [...before].filter(([name, purl]) => now.has(name) && now.get(name) !== purl);
      assert.deepEqual(
        difference.changedPackages.map((one: Answer) => [one.name, one.previous]).sort(),
        changed.sort(),
      );
      const { findings: open } = await api.findings.list({
        ...OPEN,
        repoUid: a.repo,
        digest: a.digest,
      });
      const { findings: later } = await api.findings.list({
        ...OPEN,
        repoUid: b.repo,
        digest: b.digest,
      });
      const what = (one: Answer) => `${one.vulnerability} ${one.package.name}`;
      const without = (some: Answer[], others: Answer[]) =>
        some
          .map(what)
          .filter((one) => !others.map(what).includes(one))
          .sort();
      assert.deepEqual(difference.addedFindings.map(what).sort(), without(later, open));
      assert.deepEqual(difference.removedFindings.map(what).sort(), without(open, later));
      const same = await api.findings.diffImages({ fromRepoUid: a.repo, from: "1", to: a.digest });
      assert.deepEqual(
        Object.values(same).filter((one) => Array.isArray(one) && one.length > 0),
        [],
      );
      // Of indexes, the images for one platform are compared.
      const index = { fromRepoUid: a.repo, from: "index", to: "1" };
      const [amd = "", arm = ""] = fleet.pushed[3]?.images ?? [];
      assert.equal((await api.findings.diffImages(index)).fromDigest, amd);
      const arms = await api.findings.diffImages({
        ...index,
        to: "index",
        platform: "linux/arm64",
      });
      assert.equal(arms.toDigest, arm);
      const none = await rejected(api.findings.diffImages({ ...index, platform: "linux/s390x" }));
      assert.equal(none.code, 5);
      const empty = await fleet.images.push(REPOS[0] as string, "empty", "nothing to read");
      await fleet.settle();
      const { warnings } = await api.findings.diffImages({ ...index, from: "1", to: "empty" });
      assert.equal(warnings.length, 1);
      assert.match(warnings[0], new RegExp(empty.digest));
    });

    world.rule("tags of a repo say whether their images have a vulnerability", async (api) => {
      const [repoUid = ""] = fleet.repos;
      for (const vulnerability of [
        "CVE-2026-1001",
        "GHSA-line-0001",
        "CVE-2026-2001",
        "GHSA-oddd-0001",
        "CVE-1",
      ]) {
        const tags: Answer[] = [];
        for (let pageToken = ""; ; ) {
          const page = await api.findings.listFixedTags({
            ...{ repoUid, vulnerability, pageSize: 2, pageToken },
          });
          tags.push(...page.tags);
          pageToken = page.nextPageToken;
          if (pageToken === "") break;
        }
        const names = tags.map(({ tag }) => tag);
        assert.deepEqual(
          names,
          ["1", "2", "empty", "index", "same"].filter((one) => names.includes(one)),
        );
        for (const { tag, status, known, versions } of tags) {
          const own = findings.filter(
            (one) =>
              one.repoUid === repoUid &&
              one.tags.includes(tag) &&
              namesOf(one).includes(vulnerability),
          );
          const worst = ["AFFECTED", "UNKNOWN", "ACCEPTED", "NOT_AFFECTED", "FIXED"]
            .map((one) => `FINDING_STATUS_${one}`)
            .find((one) => own.some((finding) => finding.status === one));
          assert.equal(status, worst ?? "FINDING_STATUS_UNSPECIFIED", `${vulnerability} ${tag}`);
          assert.equal(known, tag !== "empty");
          if (worst === undefined) continue;
          const affected = own.filter((finding) => finding.status === worst);
          assert.deepEqual(
            [...versions].sort(),
            [...new Set(affected.map((one) => one.package.version))].sort(),
          );
        }
      }
    });

    world.rule("nothing is known of an index of which an image was not read", async (api) => {
      const { repo = "", images = [] } = fleet.pushed.find((one) => one.images.length > 1) ?? {};
      const ask = { repoUid: repo, vulnerability: "CVE-1" };
      const isKnown = async () => {
        const { tags } = await api.findings.listFixedTags(ask);
        return tags.find(({ tag }: Answer) => tag === "index").known;
      };
      assert.equal(await isKnown(), true);
      const sql = "UPDATE exposure_images SET digest = ? WHERE digest = ?";
      const [, second = ""] = images;
      await fleet.exposure.store.write((tx) => tx.run(sql, "elsewhere", second));
      assert.equal(await isKnown(), false);
      await fleet.exposure.store.write((tx) => tx.run(sql, second, "elsewhere"));
    });
  },
  { registry: true },
);
