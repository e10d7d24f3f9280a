import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { zipOf } from "../../../../../advisories/test/archives.ts";
import { inventoryOf, layerOf, purlsOf } from "../testing/layers.ts";

const pom = (group: string, artifact: string, version: string) =>
  [
    `META-INF/maven/${group}/${artifact}/pom.properties`,
    `#Generated\r\nversion=${version}\r\ngroupId = ${group}\r\nartifactId: ${artifact}\r\n`,
  ] as const;

describe("packages of languages", () => {
  test("npm: installed packages, not the folders in them", async () => {
    const layer = await layerOf({
      "app/package.json": '{"name":"app","version":"1.0.0"}',
      "app/node_modules/a/package.json": '\ufeff{"name":"a","version":"1.0.0","license":"MIT"}',
      "app/node_modules/a/dist/package.json": '{"name":"a-dist","version":"1.0.0"}',
      "app/node_modules/@s/b/package.json":
        '{"name":"@s/b","version":"2.0.0-rc.1","licenses":[{"type":"ISC"}]}',
      "app/node_modules/.pnpm/c@3.0.0/node_modules/c/package.json":
        '{"name":"c","version":"3.0.0"}',
      "app/node_modules/d/package.json": '{"type":"module"}',
      "app/node_modules/e/package.json": '{"name":"e","version":{"major":1}}',
      "app/node_modules/f/package.json": "{",
    });
    const { packages, problems } = await inventoryOf(layer);
    assert.deepEqual(
      packages.map(({ purl, licenses }) => [purl, ...licenses]),
      [["pkg:npm/a@1.0.0", "MIT"], ["pkg:npm/%40s/b@2.0.0-rc.1", "ISC"], ["pkg:npm/c@3.0.0"]],
    );
    assert.deepEqual(
      problems.map(({ code, path }) => [code, path]),
      [["malformed", "app/node_modules/f/package.json"]],
    );
  });

  test("python: wheels, eggs and files of distutils", async () => {
    const layer = await layerOf({
      "l/Foo.Bar-1.dist-info/METADATA":
        "Metadata-Version: 2.4\nName: Foo.Bar_-baz\nVersion: 1.0\nLicense-Expression: MIT OR Apache-2.0\n\nVersion: 2\n",
      "l/b.egg-info/PKG-INFO":
        "Name: b\nVersion: 2\nLicense: UNKNOWN\nClassifier: License :: OSI Approved :: BSD License\n",
      "l/c-3.egg-info": "Name: c\nVersion: 3\n",
      "l/d.egg/EGG-INFO/PKG-INFO": "Name: d\nVersion: 4\n",
      "l/e.dist-info/RECORD": "Name: e\nVersion: 5\n",
    });
    const { packages } = await inventoryOf(layer);
    assert.deepEqual(
      packages.map(({ purl, licenses }) => [purl, ...licenses]),
      [
        ["pkg:pypi/foo-bar-baz@1.0", "MIT OR Apache-2.0"],
        ["pkg:pypi/b@2", "BSD License"],
        ["pkg:pypi/c@3"],
        ["pkg:pypi/d@4"],
      ],
    );
    assert.equal(packages[0]?.name, "Foo.Bar_-baz");
  });

  test("gem: specifications with the comment of RubyGems, and without", async () => {
    const layer = await layerOf({
      "g/specifications/nokogiri-1.16.0-x86_64-linux.gemspec":
        '# -*- encoding: utf-8 -*-\n# stub: nokogiri 1.16.0 x86_64-linux lib\n\n  s.licenses = ["MIT".freeze]\n',
      "g/specifications/default/json-2.7.1.gemspec":
        '  s.name = "json".freeze\n  s.version = "2.7.1"\n',
      "g/gems/x-1/x.gemspec": '  s.name = "x"\n  s.version = "1"\n',
    });
    const { packages } = await inventoryOf(layer);
    assert.deepEqual(
      packages.map(({ purl, licenses }) => [purl, ...licenses]),
      [["pkg:gem/nokogiri@1.16.0?platform=x86_64-linux", "MIT"], ["pkg:gem/json@2.7.1"]],
    );
  });

  test("composer: both versions of installed.json", async () => {
    const entry = { name: "symfony/yaml", version: "v6.4.0", license: ["MIT"] };
    const layer = await layerOf({
      "a/vendor/composer/installed.json": JSON.stringify([entry, null, { name: 1 }]),
      "b/vendor/composer/installed.json": JSON.stringify({ packages: [entry] }),
    });
    const purl = "pkg:composer/symfony/yaml@v6.4.0";
    assert.deepEqual(await purlsOf(layer), [purl, purl]);
  });

  test("java: coordinates of jars, and of jars in them", async () => {
    const inner = zipOf([pom("org.inner", "lib", "2.0")]);
    const deep = zipOf([["too-deep.jar", zipOf([pom("org.deep", "x", "1")])]]);
    const layer = await layerOf({
      "app.jar": zipOf([
        pom("org.app", "app", "1.0"),
        pom("org.shaded", "part", "0.1"),
        ["BOOT-INF/lib/inner.jar", inner],
        ["BOOT-INF/lib/plain.jar", zipOf([["A.class", "x"]])],
        ["BOOT-INF/lib/broken.jar", "no zip"],
        ["BOOT-INF/lib/deep.jar", deep],
      ]),
      "plain.war": zipOf([["META-INF/MANIFEST.MF", "Implementation-Title: guess\n"]]),
      "broken.jar": "no zip",
    });
    const { packages, problems, jarsWithoutCoordinates } = await inventoryOf(layer);
    assert.deepEqual(
      packages.map(({ purl, name, path }) => [purl, name, path]),
      [
        ["pkg:maven/org.app/app@1.0", "org.app:app", "app.jar"],
        ["pkg:maven/org.shaded/part@0.1", "org.shaded:part", "app.jar"],
        ["pkg:maven/org.inner/lib@2.0", "org.inner:lib", "app.jar"],
      ],
    );
    assert.equal(jarsWithoutCoordinates, 4);
    assert.deepEqual(
      problems.map(({ code, path }) => [code, path]),
      [["malformed", "broken.jar"]],
    );
  });

  test("java: bombs are a problem of the jar", async () => {
    const bomb = zipOf([["lib/a.jar", Buffer.alloc(200 * 1024 * 1024)]]);
    const lying = zipOf([["lib/a.jar", Buffer.alloc(1024 * 1024)]], { claimed: 100 });
    const layer = await layerOf({ "bomb.jar": bomb, "lying.jar": lying });
    const { problems } = await inventoryOf(layer);
    assert.deepEqual(
      problems.map(({ code, path }) => [code, path]),
      [
        ["file_too_large", "bomb.jar"],
        ["malformed", "lying.jar"],
      ],
    );
  });
});
