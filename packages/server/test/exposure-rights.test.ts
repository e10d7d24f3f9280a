/** Nothing of an image, a package, an advisory or a decision reaches a caller who may not see it, by whatever way. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Answer, ApiClient } from "./support/client/api-client.ts";
import { type ApiError, rejected } from "./support/client/api-error.ts";
import { inParallel } from "./support/client/pagination.ts";
import { ExposureWorld, newDigest } from "./support/exposure/exposure-world.ts";
import { HIGH, osv } from "./support/exposure/osv-records.ts";
import { onEachStore } from "./support/world/world.ts";

const READ = ["vuln_report.list", "manifest.metadata.list", "repo.list", "tag.list", "sboms.list"];
const EVERY = { statuses: [1, 2, 3, 4, 5], resolvedSince: "1970-01-01T00:00:00Z" };

/** Folders of which a caller may see every second one, to a number of 300. */
const FOLDERS = 600;

/** Words that only the other organization uses. */
const SECRETS = ["secret-library", "GHSA-secret-0001", "CVE-2026-6666", "SECRET-ALIAS-1", "hushed"];

onEachStore("rights of exposure", (world) => {
  let exposure: ExposureWorld;
  let own: Tenant;
  before(async () => {
    exposure = await ExposureWorld.open(world);
    own = await tenant(["public-library"], "GHSA-known-0001", ["CVE-2026-7777"]);
  });
  after(() => exposure.close());

  /** An organization with two folders, a repo with an image in each, and an advisory. */
  interface Tenant {
    readonly org: string;
    readonly folders: readonly string[];
    readonly repos: readonly string[];
    readonly images: readonly string[];
  }

  async function tenant(names: string[], id: string, aliases: string[]): Promise<Tenant> {
    const org = await world.organization();
    const folders = [await world.group(org), await world.group(org)];
    const repos: string[] = [];
    const images: string[] = [];
    const packages = names.map((name) => `pkg:npm/${name}@1.0.0`);
    for (const folder of folders) {
      const repo = await world.operator().repos.create(folder, { name: world.name("repo") });
      repos.push(repo.uid);
      images.push(await exposure.image({ repo: repo.uid, packages }));
    }
    const severity = [{ type: "CVSS_V3", score: HIGH }];
    const record = osv(id, "npm", names[0] as string, "2.0.0", {
      aliases,
      severity,
      summary: `of ${id}`,
    });
    await exposure.importOsv(org, record);
    await exposure.drainAll();
    return { org, folders, repos, images };
  }

  const reads: Record<string, (api: ApiClient) => Promise<Answer>> = {
    findings: (api) => api.findings.list({ ...EVERY, orderBy: "vulnerability" }),
    vulnerabilities: (api) => api.findings.listFoundVulnerabilities(EVERY),
    fixes: (api) => api.findings.listFixes({}),
    overview: (api) => api.findings.getExposure({ days: 5 }),
    tagged: (api) => api.inventory.listTaggedImages({}),
    ...Object.fromEntries(
      [...SECRETS, "library", "CVE", "GHSA", "repo", "sha256:"].flatMap(
        (text) =>
          [
            [`search ${text}`, (api) => api.inventory.searchExposure({ query: text, limit: 50 })],
            [`images ${text}`, (api) => api.inventory.listPackageImages({ package: text })],
            [`named ${text}`, (api) => api.findings.list({ ...EVERY, vulnerabilities: [text] })],
            [`package ${text}`, (api) => api.findings.list({ ...EVERY, package: text })],
          ] as [string, (api: ApiClient) => Promise<Answer>][],
      ),
    ),
    range: (api) =>
      api.inventory.listPackageImages({ package: "secret-library", versionRange: ">=1.0.0" }),
  };

  /** All that a caller reads without naming a repo. */
  async function read(api: ApiClient): Promise<Record<string, Answer>> {
    const found: Record<string, Answer> = {};
    for (const [name, ask] of Object.entries(reads)) {
      const answer = await ask(api);
      // The time of the answer, and page tokens, which are sealed again.
      const { matchTime: _, nextPageToken, ...rest } = answer;
      found[name] = { ...rest, hasMore: Boolean(nextPageToken) };
    }
    return found;
  }

  /** The methods that name a repo, asked about an image. */
  const scoped = (api: ApiClient, repoUid: string, digest: string): Promise<ApiError>[] => {
    const one = { repoUid, digest };
    const vulnerability = "CVE-2026-6666";
    return [
      rejected(api.findings.listFixedTags({ repoUid, vulnerability })),
      rejected(api.findings.countFindings({ repoUid, digests: [digest] })),
      rejected(api.inventory.listImagePackages(one)),
      rejected(api.inventory.getImageInventory(one)),
      rejected(api.inventory.getSbomDocument(one)),
      rejected(api.inventory.reindexImage(one)),
      rejected(api.inventory.uploadImageDocument({ ...one, content: "e30=" })),
    ];
  };

  /** An error without what the request itself named. */
  const shape = (error: ApiError, ...words: string[]) =>
    words.reduce((text, word) => text.replaceAll(word, "<named>"), JSON.stringify(error.body));

  world.rule("another organization changes nothing of what a caller reads", async (api) => {
    const { token } = await world.member({ [own.org]: "owner" });
    const caller = api.as(token);
    const before = await read(caller);
    const started = Date.now();
    assert.equal(before.findings.totalCount, "2");
    const other = await tenant(["secret-library", "hushed"], "GHSA-secret-0001", [
      ...["CVE-2026-6666", "SECRET-ALIAS-1"],
      // Joins a vulnerability of the caller's to secret names.
      "CVE-2026-7777",
    ]);
    // The other organization has the caller's package, too, and knows more about it.
    await exposure.image({
      repo: other.repos[0] as string,
      packages: ["pkg:npm/public-library@1.0.0"],
    });
    const more = { aliases: ["CVE-2026-7777", "SECRET-ALIAS-1"], summary: "hushed" };
    await exposure.importOsv(
      other.org,
      osv("GHSA-secret-0002", "npm", "public-library", "9.0.0", more),
    );
    await api.decisions.create(other.org, {
      ...{ vulnerability: "CVE-2026-7777", status: "FINDING_STATUS_FIXED", reason: "hushed" },
    });
    await exposure.drainAll();
    const all = JSON.stringify(await read(api));
    for (const word of SECRETS) assert.ok(all.includes(word), `the operator reads ${word}`);
    assert.deepEqual(await read(caller), before);
    // Nor does a time tell when others have changed an advisory.
    const { matchTime } = await caller.findings.getExposure({});
    assert.ok(Date.parse(matchTime) >= started);
    for (const [at, repo] of other.repos.entries()) {
      const digest = other.images[at] as string;
      const nowhere = [`${other.folders[0]}/0123456789abcdef`, newDigest()] as const;
      const denied = await Promise.all(scoped(caller, repo, digest));
      const absent = await Promise.all(scoped(caller, ...nowhere));
      assert.deepEqual(
        denied.map((one) => [one.code, shape(one, repo, digest)]),
        absent.map((one) => [7, shape(one, ...nowhere)]),
      );
    }
  });

  world.rule("without the right, and without a token, nothing is read", async (api) => {
    const { token } = await world.member({ [own.org]: ["groups.list", "repo.list"] });
    const stranger = api.as((await world.member()).token);
    const some = await read(api.as(token));
    assert.deepEqual(some, await read(stranger), "the same as somebody from elsewhere");
    const text = JSON.stringify(Object.values(some));
    for (const word of [own.org, "library", "GHSA-", "CVE-", "sha256:"]) {
      assert.ok(!text.includes(word), word);
    }
    assert.doesNotMatch(text, /"\w+":"?[1-9]\d*"?[,}]/, "no number but zero");
    for (const ask of Object.values(reads)) {
      assert.equal((await rejected(ask(api.as("")))).code, 16);
    }
  });

  world.rule("rights in one folder are rights for what is in it", async (api) => {
    const other = await tenant(["inner-library"], world.name("GHSA-inner"), []);
    const [folder = "", outside = ""] = other.folders;
    const { token } = await world.member({ [folder]: READ });
    const caller = api.as(token);
    const within = { uidp: { descendantsOf: folder } };
    const expected = await api.findings.list({ ...EVERY, ...within });
    assert.equal(expected.totalCount, "1");
    const { findings, totalCount } = await caller.findings.list(EVERY);
    assert.deepEqual([findings, totalCount], [expected.findings, "1"]);
    for (const [mine, theirs] of [
      [caller.findings.listFoundVulnerabilities({}), api.findings.listFoundVulnerabilities(within)],
      [caller.findings.listFixes({}), api.findings.listFixes(within)],
      [caller.inventory.listTaggedImages({}), api.inventory.listTaggedImages(within)],
      [
        caller.inventory.searchExposure({ query: "inner" }),
        api.inventory.searchExposure({ query: "inner", ...within }),
      ],
      [
        caller.inventory.listPackageImages({ package: "inner-library" }),
        api.inventory.listPackageImages({ package: "inner-library", ...within }),
      ],
    ]) {
      assert.deepEqual(await mine, await theirs);
    }
    const { matchTime: _, ...numbers } = await caller.findings.getExposure({ days: 3 });
    const { matchTime: __, ...others } = await api.findings.getExposure({ days: 3, ...within });
    assert.deepEqual(numbers, others);
    assert.equal(numbers.images, "1");
    for (const filter of [
      { uidp: { ids: [other.repos[1]] } },
      { uidp: { descendantsOf: outside } },
      { repoUid: other.repos[1] },
      { digest: other.images[1] },
    ]) {
      assert.equal((await caller.findings.list(filter)).totalCount, "0");
    }
  });

  world.rule(
    "an image that the caller may not see does not exist for a difference",
    async (api) => {
      const other = await tenant(["paired-library"], world.name("GHSA-pair"), []);
      const { token } = await world.member({ [other.folders[0] as string]: READ });
      const caller = api.as(token);
      const [mine = "", theirs = ""] = other.images;
      const [repo = "", hidden = ""] = other.repos;
      const same = await caller.findings.diffImages({ fromRepoUid: repo, from: mine, to: mine });
      assert.equal(same.toDigest, mine);
      const nothing = newDigest();
      const asks = (digest: string, uid: string) => [
        { fromRepoUid: repo, from: mine, toRepoUid: uid, to: digest },
        { fromRepoUid: uid, from: digest, toRepoUid: repo, to: mine },
        { fromRepoUid: uid, from: digest, to: digest },
        { fromRepoUid: repo, from: mine, to: digest },
        { fromRepoUid: repo, from: mine, to: digest, platform: "linux/amd64" },
      ];
      const absent = `${other.org}/0123456789abcdef`;
      for (const [at, ask] of asks(theirs, hidden).entries()) {
        const denied = await rejected(caller.findings.diffImages(ask));
        const missing = await rejected(
          caller.findings.diffImages(asks(nothing, absent)[at] as object),
        );
        assert.equal(denied.code, 5);
        assert.equal(shape(denied, theirs, hidden), shape(missing, nothing, absent));
      }
    },
  );

  world.rule("page tokens of others continue in what the caller may see", async (api) => {
    const { token } = await world.member({ [own.folders[0] as string]: READ });
    for (const orderBy of ["severity", "vulnerability desc", "repo", "first_seen"]) {
      const request = { ...EVERY, orderBy, pageSize: 1 };
      for (let pageToken = ""; ; ) {
        const page = await api.findings.list({ ...request, pageToken });
        const mine = await api.as(token).findings.list({ ...request, pageToken });
        assert.ok(
          mine.findings.every((one: Answer) => one.repoUid === own.repos[0]),
          orderBy,
        );
        assert.equal(mine.totalCount, "1");
        pageToken = page.nextPageToken;
        if (pageToken === "") break;
      }
    }
  });

  test("events are written for the group of the repo alone", async () => {
    const rows = await exposure.store.reader.all<{ subject: string; group_uid: string }>(
      "SELECT subject, group_uid FROM events WHERE type LIKE 'exposure.image.%'",
    );
    assert.ok(rows.length >= 2);
    for (const { subject, group_uid } of rows) {
      assert.equal(group_uid, subject.slice(0, subject.lastIndexOf("/")));
    }
  });

  test(`rights in ${FOLDERS / 2} of ${FOLDERS} folders`, async () => {
    const org = await world.organization();
    const api = world.operator();
    const { uid: identityUid, token } = await world.member();
    const roleUid = await world.role(org, READ);
    const seen: string[] = [];
    const name = "scattered-library";
    const numbers = Array.from({ length: FOLDERS }, (_, at) => at);
    await inParallel(numbers, async (at) => {
      const folder = await world.group(org);
      const { uid } = await api.repos.create(folder, { name: "app" });
      await exposure.image({ repo: uid, packages: [`pkg:npm/${name}@1.0.${at % 7}`] });
      if (at % 2 === 1) return;
      seen.push(uid);
      await api.roleBindings.create(folder, { identityUid, roleUid });
    });
    await exposure.importOsv(org, osv("GHSA-scattered-0001", "npm", name, "1.0.5"));
    await exposure.drain();
    const caller = api.as(token);
    const { totalCount } = await caller.inventory.listPackageImages({ package: name });
    assert.equal(totalCount, String(FOLDERS / 2));
    const tagged = await caller.inventory.listTaggedImages({});
    assert.equal(tagged.totalCount, String(FOLDERS / 2));
    const repos: string[] = [];
    for (let pageToken = ""; ; ) {
      const page = await caller.findings.list({ orderBy: "repo", pageSize: 90, pageToken });
      repos.push(...page.findings.map((one: Answer) => one.repoUid));
      pageToken = page.nextPageToken;
      assert.equal(
        page.totalCount,
        String(numbers.filter((at) => at % 2 === 0 && at % 7 < 5).length),
      );
      if (pageToken === "") break;
    }
    assert.deepEqual(repos, repos.toSorted());
    assert.ok(repos.every((one) => seen.includes(one)));
    const { vulnerabilities } = await caller.findings.listFoundVulnerabilities({});
    assert.deepEqual(
      vulnerabilities.map((one: Answer) => one.images),
      [String(repos.length)],
    );
    const overview = await caller.findings.getExposure({});
    assert.equal(overview.images, String(FOLDERS / 2));
    assert.equal(overview.imagesAffected, String(repos.length));
  });
});
