import assert from "node:assert/strict";
import { mkdtempSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { type Ran, skopeo } from "./support/registry/distribution.ts";
import { writeImage } from "./support/registry/oci-image.ts";
import { freePort } from "./support/server/free-port.ts";
import { scratchFolder } from "./support/server/scratch-folder.ts";
import { World } from "./support/world/world.ts";

describe("real clients at the registry of this server", () => {
  let world: World;
  let host: string;
  const folder = scratchFolder("wharf-clients-");
  const authfile = join(folder, "auth.json");
  let digest: string;
  before(async () => {
    host = `127.0.0.1:${await freePort()}`;
    world = await World.start({ registry: host, flags: ["--listen", host] });
    digest = writeImage(join(folder, "image"), "1.0", "hello", ["amd64", "arm64"]);
    const pusher = await world.registry.holder("pusher", "registry.push");
    const password = await world.registry.token(pusher);
    const login = ["login", "--tls-verify=false", "--authfile", authfile, "-u", "_token"];
    worked(await skopeo(...login, "-p", password, host));
  });
  after(() => world.stop());

  const worked = ({ ok, output }: Ran) => assert.ok(ok, output);
  const at = (path: string) => `docker://${host}/${path}`;
  const copy = (from: string, to: string, ...flags: string[]) => {
    const tls = ["--src-tls-verify=false", "--dest-tls-verify=false"];
    return skopeo("copy", "--authfile", authfile, ...tls, ...flags, from, to);
  };
  const run = (command: string, ...args: string[]) =>
    skopeo(command, "--authfile", authfile, "--tls-verify=false", ...args);
  const into = () => mkdtempSync(join(folder, "pulled-"));

  test("skopeo pushes all architectures, and pulls them by tag and digest", async () => {
    worked(await copy(`oci:${join(folder, "image")}:1.0`, at("acme/app:1.0"), "--all"));
    for (const reference of ["acme/app:1.0", `acme/app@${digest}`]) {
      const target = into();
      worked(await copy(at(reference), `dir:${target}`, "--all", "--preserve-digests"));
      const index = JSON.parse(readFileSync(join(target, "manifest.json"), "utf8"));
      assert.equal(index.manifests.length, 2);
    }
    const { output } = await run("inspect", "--raw", at(`acme/app@${digest}`));
    assert.equal(JSON.parse(output).manifests.length, 2);
    const tags = await run("list-tags", at("acme/app"));
    assert.deepEqual(JSON.parse(tags.output).Tags, ["1.0"]);
  });

  test("skopeo copies between repositories, converts to Docker's types, and deletes", async () => {
    worked(await copy(at("acme/app:1.0"), at("acme/team/copy:1.0"), "--all"));
    worked(await copy(at("acme/app:1.0"), at("acme/team/docker:1.0"), "--all", "--format", "v2s2"));
    const { output } = await run("inspect", "--raw", at("acme/team/docker:1.0"));
    assert.match(JSON.parse(output).mediaType, /docker\.distribution\.manifest\.list/);
    worked(await run("delete", at("acme/team/copy:1.0")));
    assert.ok(!(await run("inspect", "--raw", at("acme/team/copy:1.0"))).ok);
    worked(await run("inspect", "--raw", at("acme/app:1.0")));
  });

  test("the tags are those of the API the moment that skopeo ends", async () => {
    worked(await copy(`oci:${join(folder, "image")}:1.0`, at("acme/now:2.0"), "--all"));
    const { tags } = await world.operator().tags.list({ name: "2.0" });
    const [tag] = tags;
    assert.deepEqual([tag.name, tag.digest], ["2.0", digest]);
  });

  test("wrong credentials are refused with a reason", async () => {
    const wrong = ["--creds", "_token:wrong", "--tls-verify=false"];
    const { ok, output } = await skopeo("inspect", "--raw", ...wrong, at("acme/app:1.0"));
    assert.ok(!ok);
    assert.match(output, /unauthorized|invalid username\/password/);
  });
});
