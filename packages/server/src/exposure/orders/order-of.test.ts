import assert from "node:assert/strict";
import { test } from "node:test";
import { orderOf } from "./order-of.ts";

/** Compares in the order of an ecosystem: "<", "=", ">", or "?" if it cannot. */
function compare(ecosystem: string, one: string, other: string): string {
  const position = orderOf(ecosystem)?.compare(one, other);
  return position === undefined ? "?" : "<=>".charAt(Math.sign(position) + 1);
}

test("ecosystems have orders with and without release", () => {
  for (const [ecosystem, order] of [
    ["Alpine:v3.19", "apk"],
    ["Wolfi", "apk"],
    ["Ubuntu:24.04:LTS", "deb"],
    ["Red Hat:rhel_eus:8.4::baseos", "rpm"],
    ["Maven:https://repo.example.test", "maven"],
    ["crates.io", "semver"],
    ["PyPI", "pep440"],
  ] as const) {
    assert.equal(orderOf(ecosystem)?.name, order, ecosystem);
  }
});

test("other ecosystems have none", () => {
  for (const ecosystem of ["", "OSS-Fuzz", "Android", "pypi", "constructor", ":12", "GIT"]) {
    assert.equal(orderOf(ecosystem), undefined, ecosystem);
  }
});

test("versions as tools write them", () => {
  for (const [ecosystem, one, expected, other] of [
    // Go: the toolchain, pseudo-versions and modules without go.mod.
    ["Go", "go1.21.9", "=", "1.21.9"],
    ["Go", "go1.21rc2", "<", "1.21.0"],
    ["Go", "go1.21rc2", "=", "1.21.0-rc.2"],
    ["Go", "go1.21.9 X:boringcrypto", "=", "v1.21.9"],
    ["Go", "v2.0.0+incompatible", "=", "2.0.0"],
    ["Go", "v0.0.0-20210101000000-abcdef123456", "<", "v0.0.0-20220101000000-000000000000"],
    ["Go", "v1.2.4-0.20210101000000-abcdef123456", ">", "v1.2.3"],
    ["Go", "v1.2.4-0.20210101000000-abcdef123456", "<", "v1.2.4"],
    ["npm", "1.0.0rc1", "<", "1.0.0"],
    // Ruby: the platform is no prerelease.
    ["RubyGems", "1.13.6-x86_64-linux", "=", "1.13.6"],
    ["RubyGems", "1.13.6-java", "=", "1.13.6"],
    ["RubyGems", "1.13.6-rc1", "<", "1.13.6"],
    // Alpine: letters with numbers, which apk does not parse.
    ["Alpine", "5.1p1-r0", "<", "5.1p2-r0"],
    ["Alpine", "5.1p1-r0", "<", "5.1p1-r1"],
    ["Alpine", "1.0_git20240101-r0", ">", "1.0-r5"],
    ["Debian", "1:1.0-1", ">", "2.0-1"],
    ["Debian", " 1.0-1\n", "=", "1.0-1"],
    ["Ubuntu", "1.18-0ubuntu1~22.04.1", "<", "1.18-0ubuntu1"],
    ["Rocky Linux", "4.18.0-553.el8_10", ">", "4.18.0-477.el8"],
    ["AlmaLinux", "1:1.0-1", ">", "2.0-1"],
    ["Maven", "2.13.4.2", ">", "2.13.4"],
    ["Maven", "Hoxton.SR3", "<", "Hoxton.SR12"],
    ["Maven", "1.0.0.RC1", "=", "1.0-rc1"],
    ["Maven", "5.0.0.RELEASE", "=", "5.0"],
    ["Maven", "2.0.a", "<", "2-1"],
    ["Maven", "31.1-jre", "<", "32.0-jre"],
    ["PyPI", "2021.3.post1", ">", "2021.3"],
    ["PyPI", "1.0.custom", "<", "1.1"],
    ["Packagist", "v6.0.0-RC1", "<", "6.0"],
    ["NuGet", "6.0.0-preview.1", "<", "6.0.0-RC.1"],
  ] as const) {
    assert.equal(compare(ecosystem, one, other), expected, `${ecosystem}: ${one} ${other}`);
  }
});

test("texts that are no versions cannot be compared", () => {
  for (const [ecosystem, text] of [
    ["Go", "(devel)"],
    ["Go", ""],
    ["npm", "latest"],
    ["npm", "1.0.0 beta"],
    ["PyPI", "main"],
    ["PyPI", "1.0.custom"],
    ["Maven", "latest"],
    ["Maven", "$" + "{project.version}"],
    ["Packagist", "dev-main"],
    ["Packagist", "2.x-dev"],
    ["RubyGems", "main"],
    ["NuGet", "*"],
    ["Debian", "1_0"],
    ["Debian", "a:1"],
    ["Debian", ""],
    ["Alpine", ""],
    ["Red Hat", ""],
    ["CRAN", "1.0a"],
    ["Hackage", "1.0-1"],
    ["Pub", "any"],
    ["Red Hat", "1".repeat(1_000_000)],
  ] as const) {
    assert.equal(compare(ecosystem, text, "1.0"), "?", `${ecosystem}: ${text.slice(0, 100)}`);
    assert.equal(compare(ecosystem, text, text), "=", `${ecosystem}: ${text.slice(0, 100)}`);
  }
});
