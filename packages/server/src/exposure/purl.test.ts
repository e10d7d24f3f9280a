import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type InstalledPackage, installedPackage, type PackageContext } from "./purl.ts";

/** Failures name the path below this seed. */
const SEED = 20_261;

const read = (purl: string, context?: PackageContext): Partial<InstalledPackage> =>
  installedPackage(`pkg:${purl}`, context) ?? {};

const nameOf = (purl: string) => `${read(purl).ecosystem} ${read(purl).name}`;

test("libraries have the names of their ecosystems", () => {
  for (const [purl, name] of [
    ["npm/%40babel/core@7.0.0", "npm @babel/core"],
    ["npm/@babel/core@7.0.0", "npm @babel/core"],
    ["maven/org.apache.commons/commons-io@2.6", "Maven org.apache.commons:commons-io"],
    ["golang/github.com/Masterminds/sprig/v3@v3.2.3#sub", "Go github.com/Masterminds/sprig/v3"],
    ["golang/stdlib@1.21.9", "Go stdlib"],
    ["golang/std@1.21.9", "Go stdlib"],
    ["pypi/Zope.Interface__x@1", "PyPI zope-interface-x"],
    ["composer/Laravel/framework@v7.0", "Packagist laravel/framework"],
    ["nuget/Newtonsoft.Json@13.0.1", "NuGet newtonsoft.json"],
    ["cargo/time@0.3", "crates.io time"],
    ["gem/rails@7.0", "RubyGems rails"],
    ["swift/github.com/Apple/swift-nio.git@2.0", "SwiftURL github.com/apple/swift-nio"],
    ["conan/user/zlib@1.3", "ConanCenter zlib"],
    ["hackage/aeson@2.0", "Hackage aeson"],
    ["bitnami/nginx@1.0", "Bitnami nginx"],
    ["oci/web@sha256:ab", "undefined web"],
    ["generic/openssl@1.1.1", "undefined openssl"],
    ["github/wolfi-dev/os@abc", "undefined wolfi-dev/os"],
  ] as const) {
    assert.equal(nameOf(purl), name, purl);
  }
});

test("distributions have releases as OSV writes them", () => {
  for (const [purl, ecosystem, release] of [
    ["deb/debian/curl@7?distro=debian-12", "Debian", "Debian:12"],
    ["deb/debian/curl@7?distro=debian-12.4", "Debian", "Debian:12"],
    ["deb/debian/curl@7?distro=bookworm", "Debian", "Debian:12"],
    ["deb/debian/curl@7?distro=debian-sid", "Debian", undefined],
    ["deb/debian/curl@7", "Debian", undefined],
    ["deb/ubuntu/curl@7?distro=ubuntu-24.04", "Ubuntu", "Ubuntu:24.04"],
    ["deb/ubuntu/curl@7?arch=source?distro=jammy", "Ubuntu", "Ubuntu:22.04"],
    ["deb/curl@7?distro=debian-12", "Debian", "Debian:12"],
    ["deb/debian/curl@7?distro=raspbian-12", "Debian", undefined],
    ["apk/alpine/musl@1?distro=alpine-3.19.1", "Alpine", "Alpine:v3.19"],
    ["apk/alpine/musl@1?distro=3.19.1", "Alpine", "Alpine:v3.19"],
    ["apk/alpine/musl@1?distro=alpine-3.21.0_alpha20240923", "Alpine", undefined],
    ["apk/wolfi/glibc@1?distro=wolfi-20230201", "Wolfi", undefined],
    ["apk/unknown/glibc@1?distro=chainguard-20230214", "Chainguard", undefined],
    ["rpm/redhat/bash@1?distro=rhel-8.4", "Red Hat", "Red Hat:8.4"],
    ["rpm/rocky/bash@1?distro=rocky-9.3", "Rocky Linux", "Rocky Linux:9"],
    ["rpm/rocky-linux/bash@1?distro=rocky-linux-9.3", "Rocky Linux", "Rocky Linux:9"],
    ["rpm/almalinux/bash@1?distro=almalinux-8.9", "AlmaLinux", "AlmaLinux:8"],
    ["rpm/alma/bash@1?distro=alma-8.9", "AlmaLinux", "AlmaLinux:8"],
    ["rpm/suse/bash@1?distro=sles-15.5", "SUSE", "SUSE:15.5"],
    ["rpm/opensuse/bash@1?distro=opensuse-leap-15.5", "openSUSE", "openSUSE:Leap 15.5"],
    [
      "rpm/opensuse.tumbleweed/bash@1?distro=opensuse.tumbleweed-20240101",
      "openSUSE",
      "openSUSE:Tumbleweed",
    ],
    ["rpm/centos/bash@1?distro=centos-8", undefined, undefined],
    ["rpm/debian/bash@1?distro=debian-12", undefined, undefined],
    ["deb/nodesource/nodejs@18?distro=debian-12", undefined, undefined],
  ] as const) {
    assert.deepEqual([read(purl).ecosystem, read(purl).release], [ecosystem, release], purl);
  }
});

test("the document's distribution is that of package URLs without one", () => {
  const context = { distro: "debian-12" };
  assert.equal(read("deb/debian/curl@7", context).release, "Debian:12");
  assert.equal(read("deb/curl@7", context).release, "Debian:12");
  assert.equal(read("deb/debian/curl@7?distro=debian-11", context).release, "Debian:11");
  assert.equal(read("deb/ubuntu/curl@7", context).release, undefined);
  assert.equal(read("npm/a@1", context).release, undefined);
});

test("packages of third parties are not those of the distribution", () => {
  const remi = read("rpm/redhat/php@8.1-1.el8.remi?distro=rhel-8.4");
  assert.deepEqual([remi.ecosystem, remi.release, remi.isForeign], [undefined, undefined, true]);
  assert.equal(read("rpm/redhat/php@8.1-1.el8?vendor=Fedora%20Project").ecosystem, undefined);
  assert.equal(read("rpm/redhat/php@8.1-1.el8?vendor=Red%20Hat,%20Inc.").ecosystem, "Red Hat");
  assert.equal(read("rpm/opensuse/php@8.1-1?vendor=SUSE%20LLC").ecosystem, "openSUSE");
  assert.equal(read("deb/debian/postgresql@16.1-1.pgdg120%2B1").ecosystem, undefined);
  assert.equal(
    read("deb/debian/php8.2@8.2.1+0~20230101.1+debian12~1.gbp+deb.sury.org").isForeign,
    true,
  );
});

test("packages of distributions have the source package", () => {
  for (const [purl, origin] of [
    ["deb/debian/libssl3@3.0.11-1?upstream=openssl", { name: "openssl", version: "3.0.11-1" }],
    ["deb/debian/libgcc-s1@12.2-14?upstream=gcc-12%4012.2", { name: "gcc-12", version: "12.2" }],
    ["apk/alpine/libcrypto3@3.1.4-r5?upstream=openssl", { name: "openssl", version: "3.1.4-r5" }],
    ["apk/wolfi/libcrypto3@3.1.4-r5?origin=openssl", { name: "openssl", version: "3.1.4-r5" }],
    [
      "rpm/redhat/libgcc@8.5.0-20.el8?epoch=1&upstream=gcc-c%2B%2B-8.5.0-20.el8.src.rpm",
      { name: "gcc-c++", version: "1:8.5.0-20.el8" },
    ],
    ["deb/debian/curl@7.88?upstream=curl", undefined],
    ["deb/debian/curl@7.88", undefined],
    ["npm/a@1?upstream=b", undefined],
  ] as const) {
    assert.deepEqual(read(purl).origin, origin, purl);
  }
  const origin = { name: "gcc", version: "8.5" };
  assert.deepEqual(read("rpm/redhat/libgcc@8.5", { origin }).origin, origin);
});

test("versions of rpm include the epoch, if the records of the distribution do", () => {
  assert.equal(read("rpm/redhat/dhcp@4.3-1?epoch=12").version, "12:4.3-1");
  assert.equal(read("rpm/redhat/dhcp@12:4.3-1?epoch=12").version, "12:4.3-1");
  assert.equal(read("rpm/redhat/dhcp@4.3-1?epoch=x").version, "4.3-1");
  assert.equal(read("rpm/openeuler/dhcp@12:4.3-1").version, "4.3-1");
  assert.equal(read("rpm/openeuler/dhcp@4.3-1?epoch=12").version, "4.3-1");
  assert.equal(read("deb/debian/dhcp@4.3-1?epoch=12").version, "4.3-1");
  assert.equal(read("npm/a", { version: "2.0" }).version, "2.0");
});

test("modules of rpm are their name and stream", () => {
  const label = "nodejs:18:8060020220523160029:ad008a3a";
  for (const key of ["rpmmod", "modularitylabel"]) {
    assert.equal(
      read(`rpm/redhat/nodejs@18?${key}=${encodeURIComponent(label)}`).modularity,
      "nodejs:18",
    );
  }
  assert.equal(read("rpm/redhat/nodejs@18").modularity, "");
});

test("texts of any kind never throw", () => {
  for (const text of ["", "pkg:", "pkg:npm", "pkg:npm/%", "cpe:2.3:a:b", "pkg:deb/@?distro=-"]) {
    assert.doesNotThrow(() => installedPackage(text), text);
  }
  const piece = fc.constantFrom(
    "apk/",
    "deb/",
    "rpm/",
    "debian/",
    "x",
    "@",
    "?",
    "&",
    "distro=",
    "epoch=",
    "upstream=",
    "-",
    "1.2",
    "%",
    "#",
    "__proto__",
  );
  const texts = fc.oneof(
    fc.string(),
    fc.array(piece).map((all) => all.join("")),
  );
  fc.assert(
    fc.property(texts, (text) => {
      installedPackage(text);
      installedPackage(`pkg:${text}`, { distro: text });
    }),
    { seed: SEED, numRuns: 1_000 },
  );
});
