import assert from "node:assert/strict";
import { test } from "node:test";
import { matchRelease } from "./releases.ts";

test("records are about the release that they name", () => {
  for (const [recorded, release, expected] of [
    ["Debian:12", "Debian:12", "same"],
    ["Debian:11", "Debian:12", "other"],
    ["Debian", "Debian:12", "same"],
    ["Debian:12", undefined, "unknown"],
    ["Debian", undefined, "same"],
    ["Ubuntu:12", "Debian:12", "other"],
    ["Ubuntu:24.04:LTS", "Ubuntu:24.04", "same"],
    ["Ubuntu:24.04", "Ubuntu:24.04", "same"],
    ["Ubuntu:Pro:18.04:LTS", "Ubuntu:18.04", "same"],
    ["Ubuntu:Pro:FIPS:22.04:LTS", "Ubuntu:22.04", "other"],
    ["Alpine:v3.19", "Alpine:v3.19", "same"],
    ["Alpine:v3.2", "Alpine:v3.20", "other"],
    ["Rocky Linux:9", "Rocky Linux:9", "same"],
    ["SUSE:Linux Enterprise Server 15 SP5", "SUSE:15.5", "same"],
    ["SUSE:Linux Enterprise Server 12 SP5-LTSS", "SUSE:12.5", "same"],
    ["SUSE:Linux Enterprise Module for Basesystem 15 SP4", "SUSE:15.5", "other"],
    ["openSUSE:Leap 15.5", "openSUSE:Leap 15.5", "same"],
    ["openSUSE:Leap Micro 5.5", "openSUSE:Leap 15.5", "other"],
    ["openSUSE:Tumbleweed", "openSUSE:Tumbleweed", "same"],
    ["openEuler:22.03-LTS-SP1", "openEuler:22.03", "unknown"],
    ["openEuler:24.03-LTS", "openEuler:22.03", "other"],
    ["Red Hat:enterprise_linux:8::baseos", "Red Hat:8.4", "same"],
    ["Red Hat:enterprise_linux:9::appstream", "Red Hat:8.4", "other"],
    ["Red Hat:rhel_eus:8.4::appstream", "Red Hat:8.4", "same"],
    ["Red Hat:rhel_eus:8.6::appstream", "Red Hat:8.4", "other"],
    ["Red Hat:rhel_eus:8.6::appstream", "Red Hat:8", "unknown"],
    ["Red Hat:openshift:4.12::el8", "Red Hat:8.4", "unknown"],
    ["Red Hat:openshift:4.12::el9", "Red Hat:8.4", "other"],
    ["Wolfi", undefined, "same"],
    ["Maven:https://repo.example.test", undefined, "same"],
  ] as const) {
    const ecosystem = release?.split(":")[0] ?? (recorded.split(":")[0] as string);
    assert.equal(matchRelease(recorded, ecosystem, release), expected, `${recorded} ${release}`);
  }
});
