import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { normalPath, resolvePath } from "./image-path.ts";
import { inventoryOf, type LayerEntry, layerOf, purlsOf, symlink } from "./testing/layers.ts";

const egg = (name: string) => `Name: ${name}\nVersion: 1\n`;

/** The names of the packages in layers of entries. */
async function namesIn(...layers: readonly (readonly (readonly [string, LayerEntry])[])[]) {
  const bytes = await Promise.all(layers.map((entries) => layerOf(entries)));
  return (await purlsOf(...bytes)).map((purl) => purl.slice("pkg:pypi/".length, -"@1".length));
}

const BASE = [
  ["a/b/x.egg-info", egg("x")],
  ["a/y.egg-info", egg("y")],
  ["z.egg-info", egg("z")],
] as const;

describe("files of an image", () => {
  test("are those of the last layer that has them", async () => {
    assert.deepEqual(await namesIn(BASE, [["z.egg-info", egg("new")]]), ["x", "y", "new"]);
    assert.deepEqual(await namesIn(BASE, [["./a/y.egg-info", "no fields"]]), ["x", "z"]);
    assert.deepEqual(await namesIn(BASE, [["a/", ""]]), ["x", "y", "z"]);
  });

  test("are gone after a whiteout of them or of a folder above them", async () => {
    assert.deepEqual(await namesIn(BASE, [["a/.wh.y.egg-info", ""]]), ["x", "z"]);
    assert.deepEqual(await namesIn(BASE, [[".wh.a", ""]]), ["z"]);
    assert.deepEqual(await namesIn(BASE, [["a/.wh.b", ""]]), ["y", "z"]);
    assert.deepEqual(await namesIn(BASE, [[".wh.aa", ""]]), ["x", "y", "z"]);
    assert.deepEqual(await namesIn(BASE, [[".wh.a", ""]], [["a/b/x.egg-info", egg("back")]]), [
      "z",
      "back",
    ]);
  });

  test("are gone when their folder becomes opaque, or a file or link", async () => {
    assert.deepEqual(await namesIn(BASE, [["a/.wh..wh..opq", ""]]), ["z"]);
    assert.deepEqual(await namesIn(BASE, [["a/b/.wh..wh..opq", ""]]), ["y", "z"]);
    assert.deepEqual(await namesIn(BASE, [[".wh..wh..opq", ""]]), []);
    assert.deepEqual(await namesIn(BASE, [["a", "file"]]), ["z"]);
    assert.deepEqual(await namesIn(BASE, [["a", symlink("elsewhere")]]), ["z"]);
    assert.deepEqual(await namesIn(BASE, [["a/y.egg-info/", ""]]), ["x", "z"]);
    assert.deepEqual(await namesIn(BASE, [["a/.wh..wh.plnk", ""]]), ["x", "y", "z"]);
  });

  test("of the layer of a whiteout stay, whatever their order is", async () => {
    const added = ["a/w.egg-info", egg("w")] as const;
    for (const hidden of ["a/.wh..wh..opq", ".wh.a"]) {
      assert.deepEqual(await namesIn(BASE, [[hidden, ""], added]), ["z", "w"], hidden);
      assert.deepEqual(await namesIn(BASE, [added, [hidden, ""]]), ["z", "w"], hidden);
    }
  });

  test("are created where links of earlier layers lead to", async () => {
    const base = [
      ["lib", symlink("usr/lib")],
      ["usr/lib/a.egg-info", egg("a")],
    ] as const;
    assert.deepEqual(await namesIn(base, [["lib/a.egg-info", egg("new")]]), ["new"]);
    assert.deepEqual(await namesIn(base, [["lib/.wh.a.egg-info", ""]]), []);
    assert.deepEqual(
      await namesIn(base, [
        ["lib/", ""],
        ["lib/a.egg-info", egg("b")],
      ]),
      ["a", "b"],
    );
  });

  test("with hard links have the content of their targets", async () => {
    const link = (linkname: string) => ({ type: "link", linkname }) as const;
    assert.deepEqual(await namesIn(BASE, [["c.egg-info", link("./a/y.egg-info")]]), [
      "x",
      "y",
      "z",
      "y",
    ]);
    const lost = await inventoryOf(await layerOf({ other: egg("o"), "c.egg-info": link("other") }));
    assert.deepEqual(
      lost.problems.map(({ code, path }) => [code, path]),
      [["unresolved_link", "c.egg-info"]],
    );
  });

  test("have paths within the image: others are problems", async () => {
    const layer = await layerOf([
      ["../up.egg-info", egg("up")],
      ["a/../../b.egg-info", egg("b")],
      [`${"p/".repeat(2100)}c.egg-info`, egg("c")],
      ["/abs//./d.egg-info", egg("d")],
    ]);
    const { packages, problems } = await inventoryOf(layer);
    assert.deepEqual(
      packages.map(({ path }) => path),
      ["abs/d.egg-info"],
    );
    assert.deepEqual(
      problems.map(({ code }) => code),
      ["invalid_path", "invalid_path", "invalid_path"],
    );
  });

  test("with links in circles and out of the image end", async () => {
    const layer = await layerOf([
      ["etc/os-release", symlink("../../../../etc/loop")],
      ["etc/loop", symlink("os-release")],
      ["var", symlink("/../../srv")],
      ["srv/lib/dpkg/status", "Package: a\nVersion: 1\nArchitecture: all\n"],
      ["r", symlink("r/r")],
      ["r/e.egg-info", egg("e")],
    ]);
    const { packages, release } = await inventoryOf(layer);
    assert.deepEqual(
      packages.map(({ name, path }) => [name, path]),
      [["a", "srv/lib/dpkg/status"]],
    );
    assert.equal(release, undefined);
  });

  test("in other roots are none of the image's databases", async () => {
    const status = "Package: a\nVersion: 1\nArchitecture: all\n";
    assert.deepEqual(await purlsOf(await layerOf({ "rootfs/var/lib/dpkg/status": status })), []);
  });
});

describe("paths", () => {
  test("are normal", () => {
    for (const [path, normal] of [
      ["./a/b", "a/b"],
      ["a/b/", "a/b"],
      [".", ""],
      ["./", ""],
      ["/", ""],
      ["././a", "a"],
      ["a/./b", "a/b"],
      [".a/..b/c..", ".a/..b/c.."],
      ["./../a", undefined],
      ["a/..", undefined],
      ["a\0b", undefined],
    ] as const) {
      assert.equal(normalPath(path), normal, path);
    }
  });

  test("follow links from the root of the image", () => {
    const links = new Map([
      ["a", "b/c"],
      ["b/c", "../d"],
      ["d/e", "/f"],
      ["up", "../../../g"],
    ]);
    assert.equal(resolvePath("a/x", links, true), "d/x");
    assert.equal(resolvePath("a/e", links, true), "f");
    assert.equal(resolvePath("a/e", links, false), "d/e");
    assert.equal(resolvePath("up/x", links, true), "g/x");
    assert.equal(resolvePath("l", new Map([["l", "l/l"]]), true), undefined);
  });
});
