import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { gunzipSync } from "node:zlib";
import { inventoryOf, layerOf, purlsOf, symlink } from "../testing/layers.ts";

const ALPINE =
  'NAME="Alpine Linux"\nID=alpine\nVERSION_ID=3.19.1\nPRETTY_NAME="Alpine Linux v3.19"\n';
const RHEL = 'ID="rhel"\nVERSION_ID="9.4"\nID_LIKE="fedora"\n';

const APK = `C:Q1qKcZ+j23xssAXmgQhkOO8dHnbWw=
P:ssl_client
V:1.36.1-r15
A:x86_64
S:4684
L:GPL-2.0-only
o:busybox
D:so:libc.musl-x86_64.so.1
F:usr
F:usr/bin
R:ssl_client
a:0:0:755
Z:Q1Pq6dHjoiI9cZFQxfpZ5mCN5QVV0=

C:Q1P2/i53mwqPaKfSuDQWQMQDZBNLs=
P:py3-idna
V:3.6-r0
A:noarch
L:BSD-3-Clause
o:py3-idna
F:usr/lib/python3.11/site-packages/idna-3.6.dist-info
R:METADATA
`;

describe("databases of distributions", () => {
  test("apk: packages have their origin, and own files of languages", async () => {
    const layer = await layerOf({
      "etc/os-release": ALPINE,
      "lib/apk/db/installed": APK,
      "usr/lib/python3.11/site-packages/idna-3.6.dist-info/METADATA":
        "Name: idna\nVersion: 3.6\n\nName: x\n",
      "srv/idna-3.5.dist-info/METADATA": "Name: idna\nVersion: 3.5\n",
    });
    const { packages, release } = await inventoryOf(layer);
    const busybox =
      "pkg:apk/alpine/ssl_client@1.36.1-r15?arch=x86_64&distro=alpine-3.19.1&upstream=busybox";
    const idna = "pkg:apk/alpine/py3-idna@3.6-r0?arch=noarch&distro=alpine-3.19.1";
    assert.deepEqual(
      packages.map(({ purl, ownedBy }) => [purl, ownedBy]),
      [
        [busybox, undefined],
        [idna, undefined],
        ["pkg:pypi/idna@3.6", idna],
        ["pkg:pypi/idna@3.5", undefined],
      ],
    );
    assert.deepEqual(packages[0], {
      purl: busybox,
      name: "ssl_client",
      version: "1.36.1-r15",
      origin: { name: "busybox", version: "1.36.1-r15" },
      licenses: ["GPL-2.0-only"],
      database: "apk",
      path: "lib/apk/db/installed",
    });
    assert.deepEqual(release, { id: "alpine", versionId: "3.19.1" });
  });

  test("apk: the database is found where it moved to, and counted once below a link", async () => {
    const moved = await layerOf({ "usr/lib/apk/db/installed": APK });
    const linked = await layerOf({ lib: symlink("usr/lib"), "usr/lib/apk/db/installed": APK });
    const purl = "pkg:apk/unknown/py3-idna@3.6-r0?arch=noarch";
    for (const layer of [moved, linked]) assert.equal((await purlsOf(layer))[1], purl);
    assert.equal((await purlsOf(linked)).length, 2);
  });

  test("dpkg: the packages of this machine are those that dpkg lists", async () => {
    const fields = [
      ...["db:Status-Status", "Package", "Version", "Architecture", "source:Package"],
      "source:Version",
    ];
    const format = `-f=${fields.map((name) => `\${${name}}`).join(" ")}\n`;
    const listed = execFileSync("dpkg-query", ["-W", format], { encoding: "utf8" })
      .trim()
      .split("\n")
      .filter((line) => line.startsWith("installed "))
      .map((line) => line.slice("installed ".length));
    const layer = await layerOf({
      "etc/os-release": "ID=debian\nVERSION_ID=12\n",
      "var/lib/dpkg/status": readFileSync("/var/lib/dpkg/status"),
    });
    const { packages } = await inventoryOf(layer);
    const read = packages.map(({ name, version, origin, purl }) => {
      const architecture = new URL(purl).searchParams.get("arch");
      return `${name} ${version} ${architecture} ${origin?.name} ${origin?.version}`;
    });
    assert.ok(listed.length > 50);
    assert.deepEqual(read.toSorted(), listed.toSorted());
  });

  test("dpkg: removed packages are none; sources, epochs and owners are read", async () => {
    const layer = await layerOf({
      "usr/lib/os-release": "ID=ubuntu\nVERSION_ID='24.04'\n",
      "etc/os-release": symlink("../usr/lib/os-release"),
      "var/lib/dpkg/status":
        "Package: gone\nStatus: deinstall ok config-files\nVersion: 1\nArchitecture: all\n\n" +
        "Package: libc6\nStatus: install ok installed\nVersion: 2.39-0ubuntu8\nArchitecture: amd64\nSource: glibc\n" +
        "Description: text\n Package: trap\n\n" +
        "Package: python3-six\nStatus: install ok unpacked\nVersion: 1:1.16+dfsg-4\nArchitecture: all\n" +
        "Source: six (1:1.16-4)\n",
      "var/lib/dpkg/info/libc6:amd64.list": "/.\n/lib/x\n",
      "var/lib/dpkg/info/python3-six.list": "/.\n/lib/python3/six.egg-info\n",
      lib: symlink("usr/lib"),
      "usr/lib/python3/six.egg-info": "Name: six\nVersion: 1.16\nLicense: MIT\n",
    });
    const six =
      "pkg:deb/ubuntu/python3-six@1:1.16%2Bdfsg-4?arch=all&distro=ubuntu-24.04&upstream=six%401:1.16-4";
    const { packages } = await inventoryOf(layer);
    assert.deepEqual(
      packages.map(({ purl, ownedBy }) => [purl, ownedBy]),
      [
        [
          "pkg:deb/ubuntu/libc6@2.39-0ubuntu8?arch=amd64&distro=ubuntu-24.04&upstream=glibc",
          undefined,
        ],
        [six, undefined],
        ["pkg:pypi/six@1.16", six],
      ],
    );
  });

  test("dpkg: distroless images have a file per package", async () => {
    const layer = await layerOf({
      "etc/os-release": "ID=debian\nVERSION_ID=12\n",
      "var/lib/dpkg/status.d/tzdata": "Package: tzdata\nVersion: 2024a-0\nArchitecture: all\n",
      "var/lib/dpkg/status.d/tzdata.md5sums": "d41d8cd98f00b204e9800998ecf8427e  opt/a.egg-info\n",
      "opt/a.egg-info": "Name: a\nVersion: 1\n",
    });
    const { packages } = await inventoryOf(layer);
    assert.deepEqual(
      packages.map(({ purl, ownedBy }) => [purl, ownedBy !== undefined]),
      [
        ["pkg:deb/debian/tzdata@2024a-0?arch=all&distro=debian-12", false],
        ["pkg:pypi/a@1", true],
      ],
    );
  });

  /** Written by rpm 4.18 for two noarch packages with an epoch and a modularity label. */
  const rpmdb = gunzipSync(
    readFileSync(join(import.meta.dirname, "../../../../test/fixtures/rpm/rpmdb.sqlite.gz")),
  );

  test("rpm: packages of a database that rpm has written", async () => {
    const layer = await layerOf({
      "etc/os-release": RHEL,
      "var/lib/rpm": symlink("../../usr/lib/sysimage/rpm"),
      "usr/lib/sysimage/rpm/rpmdb.sqlite": rpmdb,
      "usr/lib/python3.9/site-packages/demo-1.2.3.dist-info/METADATA":
        "Name: demo\nVersion: 1.2.3\n",
    });
    const { packages, problems } = await inventoryOf(layer);
    const rest =
      "?arch=noarch&distro=rhel-9.4&epoch=2&rpmmod=demo:1.2:9020:rhel9&upstream=demo-1.2.3-4.el9.src.rpm&vendor=Example";
    const python = `pkg:rpm/redhat/python3-demo@1.2.3-4.el9${rest}`;
    assert.deepEqual(packages.map(({ purl }) => purl).toSorted(), [
      "pkg:pypi/demo@1.2.3",
      `pkg:rpm/redhat/demo@1.2.3-4.el9${rest}`,
      python,
    ]);
    const { version, origin, licenses } =
      packages.find(({ name }) => name === "python3-demo") ?? {};
    assert.deepEqual(
      [version, origin, licenses],
      ["2:1.2.3-4.el9", { name: "demo", version: "1.2.3-4.el9" }, ["BSD"]],
    );
    assert.equal(packages.find(({ database }) => database === "python")?.ownedBy, python);
    assert.deepEqual(problems, []);
  });

  test("rpm: what cannot be read is a problem of the file", async () => {
    const cut = rpmdb.subarray(0, 8192);
    const damaged = Buffer.from(rpmdb);
    damaged.fill(0xff, 4096);
    for (const [file, content, code] of [
      ["rpmdb.sqlite", Buffer.from("no database"), "malformed"],
      ["rpmdb.sqlite", cut, "malformed"],
      ["rpmdb.sqlite", damaged, "malformed"],
      ["Packages", Buffer.from("hash"), "unsupported_database"],
      ["Packages.db", Buffer.from("RpmP"), "unsupported_database"],
    ] as const) {
      const layer = await layerOf({
        [`var/lib/rpm/${file}`]: content,
        "x.egg-info": "Name: x\nVersion: 1\n",
      });
      const { packages, problems } = await inventoryOf(layer);
      assert.deepEqual(
        problems.map((problem) => [problem.code, problem.path]),
        [[code, `var/lib/rpm/${file}`]],
      );
      assert.deepEqual(
        packages.map(({ name }) => name),
        ["x"],
      );
    }
    const logged = await layerOf({
      "var/lib/rpm/rpmdb.sqlite": rpmdb,
      "var/lib/rpm/rpmdb.sqlite-wal": "frames",
    });
    const { packages, problems } = await inventoryOf(logged);
    assert.deepEqual([packages.length, problems[0]?.code], [2, "unmerged_log"]);
  });
});
