import assert from "node:assert/strict";
import { PackagesService } from "@wharf/contract";
import type { ApiClient } from "./support/client/api-client.ts";
import { allRejected, rejected } from "./support/client/api-error.ts";
import { onEachStore } from "./support/world/world.ts";

const day = (days: number) =>
  new Date(Date.now() + days * 24 * 3_600_000).toISOString().slice(0, 10);

onEachStore("versions of packages", (world) => {
  const create = (api: ApiClient, given: object) =>
    api.call(PackagesService, "CreatePackage", { package: given });
  const python = () => ({
    name: world.name("python"),
    latestVersion: "3.14.1",
    gracePeriodMonths: 6,
    versions: [
      { version: "3.14", latestVersion: "3.14.1", exists: true, fips: true, eolDate: day(900) },
      { version: "3.13", exists: true, lts: true, releaseDate: "2024-10-07" },
      { version: "3.9", exists: true, eolDate: day(0), eolBroken: true },
      { version: "3.8", eolDate: "2024-10-07", versionSource: { ref: "v3.8.20", sha: "0a1b" } },
    ],
  });

  world.rule("the operator writes what everybody reads", async (api) => {
    const given = python();
    const made = await create(api, given);
    assert.match(made.uid, /^[0-9a-f]{40}$/);
    assert.deepEqual(
      made.versions.map(({ version }: { version: string }) => version),
      ["3.14", "3.13", "3.9", "3.8"],
    );
    const org = await world.organization();
    const viewer = api.as((await world.member({ [org]: "viewer" })).token);
    assert.deepEqual(await viewer.packages.get(made.uid), made);
    assert.deepEqual((await viewer.packages.list({ name: given.name })).packages, [made]);
    const owner = api.as((await world.member({ [org]: "owner" })).token);
    for (const { code } of await allRejected([
      create(owner, { name: "mine" }),
      owner.packages.update(made.uid, { latestVersion: "0" }),
      owner.packages.delete(made.uid),
    ]))
      assert.equal(code, 7);
    const updated = await api.packages.update(made.uid, { latestVersion: "3.15.0" });
    assert.deepEqual([updated.latestVersion, updated.versions], ["3.15.0", made.versions]);
    await api.packages.delete(made.uid);
    assert.equal((await rejected(viewer.packages.get(made.uid))).code, 5);
  });

  world.rule("invalid ones are rejected, and nothing changes", async (api) => {
    const given = python();
    const { uid } = await create(api, given);
    assert.equal((await rejected(create(api, given))).code, 6, "names are unique");
    const renamed = await rejected(api.packages.update(uid, { name: "other" }));
    assert.deepEqual([renamed.code, Object.keys(renamed.fields)], [3, ["name"]]);
    const [version] = given.versions;
    for (const [change, field] of [
      [{ gracePeriodMonths: -1 }, "gracePeriodMonths"],
      [{ versions: [{}] }, "versions[0].version"],
      [{ versions: [version, version] }, "versions[1].version"],
      [{ versions: [{ version: "1", eolDate: "2026-02-30" }] }, "versions[0].eolDate"],
      [{ versions: [{ version: "1", releaseDate: "yesterday" }] }, "versions[0].releaseDate"],
      [{ versions: [{ version: "1", eolDate: "2026-13-01" }] }, "versions[0].eolDate"],
    ] as const) {
      const error = await rejected(api.packages.update(uid, change));
      assert.deepEqual([error.code, Object.keys(error.fields)], [3, [field]]);
    }
    assert.equal((await rejected(create(api, { name: "../x" }))).code, 3);
    assert.equal((await api.packages.get(uid)).versions.length, 4);
  });

  world.rule("version 1 separates those at their end of life", async (api) => {
    const given = python();
    const { updateTime } = await create(api, given);
    const org = await world.organization();
    const viewer = api.as((await world.member({ [org]: "viewer" })).token);
    const answer = await viewer.v1.registry.getPackageVersionMetadata({ package: given.name });
    const { versions, eolVersions, ...rest } = answer;
    assert.deepEqual(rest, {
      lastUpdatedTimestamp: updateTime,
      latestVersion: "3.14.1",
      gracePeriodMonths: 6,
    });
    const named = (list: { version: string }[]) => list.map(({ version }) => version);
    assert.deepEqual(
      [named(versions), named(eolVersions)],
      [
        ["3.14", "3.13"],
        ["3.9", "3.8"],
      ],
    );
    const [first, second] = versions;
    assert.deepEqual([first.exists, first.fips, first.latestVersion], [true, true, "3.14.1"]);
    assert.deepEqual([second.lts, second.legacyLts], [true, "true"]);
    const [today, old] = eolVersions;
    assert.deepEqual([today.eolDate, today.eolBroken], [day(0), true]);
    assert.deepEqual(old.versionSource, { ref: "v3.8.20", sha: "0a1b" });
    const none = await rejected(
      viewer.v1.registry.getPackageVersionMetadata({ package: "unknown" }),
    );
    assert.deepEqual([none.code, none.missing], [5, "Package unknown"]);
  });
});
