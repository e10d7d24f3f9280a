import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { advisory, PUBLICATION } from "../../test/samples.ts";
import { imageForms } from "../image-url.ts";
import { packageOfUrl } from "../read/package.ts";
import { componentPurl, packagesOf, versioned } from "./packages.ts";
import { isSameArtifact, isSameComponent } from "./same-artifact.ts";

function purlOf(artifactType: string, artifactName: string, version = "", architecture = "all") {
  const [one] = packagesOf(advisory({ artifactType, artifactName }), PUBLICATION);
  assert.ok(one !== undefined);
  return versioned(one.url, version, architecture);
}

describe("package URLs", () => {
  test("of images have no namespace, but a repository_url", () => {
    const repository = "repository_url=registry.example.com%2Facme%2Fapp";
    assert.equal(purlOf("image", "acme/app"), `pkg:oci/app?${repository}`);
    const digest = `sha256:${"0a".repeat(32)}`;
    assert.equal(
      purlOf("image", "acme/app", digest, "x86_64"),
      `pkg:oci/app@${digest}?arch=amd64&${repository}`,
    );
    assert.equal(
      purlOf("image", "acme/app", "1.2+x", "arm64"),
      `pkg:oci/app?arch=arm64&${repository}&tag=1.2%2Bx`,
    );
  });

  test("of images have the registry of the name, if it has one", () => {
    const repository = (name: string) =>
      decodeURIComponent(purlOf("image", name).split("repository_url=")[1] as string);
    assert.equal(repository("ghcr.io/acme/App"), "ghcr.io/acme/App");
    assert.equal(repository("localhost:5000/app"), "localhost:5000/app");
    assert.equal(repository("localhost/app"), "localhost/app");
    assert.equal(repository("app"), "registry.example.com/app");
    // A name with a dot is not a host without a path.
    assert.equal(repository("app.v2"), "registry.example.com/app.v2");
    assert.match(purlOf("image", "ghcr.io/acme/App"), /^pkg:oci\/app\?/);
  });

  test("of Maven have a group, otherwise the type is generic", () => {
    assert.equal(purlOf("maven", "org.acme:lib", "1"), "pkg:maven/org.acme/lib@1");
    assert.equal(purlOf("java-archive", "log4j-core"), "pkg:generic/log4j-core");
  });

  test("can be parsed for any artifact name", () => {
    for (const type of ["apk", "deb", "image", "library", "maven", "npm", "pypi", "???"]) {
      for (const name of ["/", "a//b", "..", "a b", "ä", "a@b?c#d", "a:b", "%zz", "+"]) {
        assert.ok(
          packageOfUrl(purlOf(type, name, "1 @?#/", "a&b=c")) !== undefined,
          `${type} ${name}`,
        );
      }
    }
    // A slash is part of the name of a distribution package.
    assert.equal(packageOfUrl(purlOf("apk", "a/b"))?.name, "a/b");
  });

  test("of components exist only if they are not the artifact under another name", () => {
    const library = { artifactType: "library", artifactName: "Django", componentName: "Django" };
    assert.equal(
      componentPurl(advisory({ ...library, componentType: "python" }), PUBLICATION),
      undefined,
    );
    const inside = advisory({ ...library, componentName: "x", componentType: "python" });
    assert.equal(componentPurl(inside, PUBLICATION), "pkg:pypi/x");
  });

  test("identify the same artifact under different names", () => {
    const is = (one: object, other: object) =>
      isSameArtifact(advisory(one as never), advisory(other as never), PUBLICATION);
    const image = { artifactType: "image", artifactName: "acme/app" };
    assert.ok(is(image, { ...image, artifactName: "registry.example.com/acme/app" }));
    assert.ok(is(image, { ...image, artifactArchitecture: "amd64" }));
    assert.ok(!is(image, { ...image, artifactName: "ghcr.io/acme/app" }));
    assert.ok(!is(image, { ...image, artifactArchitecture: "arm64" }));
    const django = { artifactType: "library", artifactName: "Django", componentType: "python" };
    assert.ok(is(django, { ...django, artifactType: "pypi", artifactName: "django" }));
    assert.ok(is({ artifactArchitecture: "all" }, { artifactArchitecture: "noarch" }));
    const inside = (componentType: string, componentLocation: string) =>
      advisory({ componentName: "zlib", componentType, componentLocation });
    const same = (one: ReturnType<typeof inside>, other: ReturnType<typeof inside>) =>
      isSameComponent(one, other, PUBLICATION);
    assert.ok(same(inside("go-module", "/a"), inside("golang", "/a")));
    assert.ok(!same(inside("go-module", "/a"), inside("golang", "/b")));
    assert.ok(!same(inside("go-module", "/a"), inside("npm", "/a")));
  });
});

describe("package URLs of images", () => {
  const forms = (purl: string) =>
    imageForms(purl).map((one) => decodeURIComponent(one.split("repository_url=")[1] ?? one));

  test("are in the forms of Trivy and Grype, and in their own", () => {
    const both = ["ghcr.io/acme/web", "ghcr.io/acme"];
    assert.deepEqual(forms("pkg:oci/web?repository_url=ghcr.io%2Facme%2Fweb"), both);
    assert.deepEqual(forms("pkg:oci/web?repository_url=ghcr.io%2Facme"), [
      "ghcr.io/acme",
      ...both.slice(0, 1),
    ]);
    const hub = ["index.docker.io/library/nginx", "index.docker.io/library"];
    for (const own of [
      "docker.io/nginx",
      "docker.io/library/nginx",
      "registry-1.docker.io/library",
    ]) {
      const url = encodeURIComponent(own);
      assert.deepEqual(forms(`pkg:oci/nginx?repository_url=${url}`), [own, ...hub]);
    }
  });

  test("have no form that another image has, or another architecture", () => {
    const only = (purl: string) => assert.deepEqual(imageForms(purl), [purl]);
    only("pkg:oci/web");
    only("pkg:docker/acme/web@1.0");
    only("pkg:npm/web?repository_url=ghcr.io%2Facme");
    only("pkg:oci/web?repository_url=ghcr.io%2Fweb%2Fweb");
    only("pkg:oci/web?arch=amd64&repository_url=ghcr.io%2Facme%2Fweb");
  });
});
