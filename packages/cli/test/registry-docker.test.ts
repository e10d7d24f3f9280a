import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { builtinRole, literalIdentityUid } from "@wharf/contract";
import { decodeJwt } from "jose";
import { exchange } from "../../server/test/support/client/tokens.ts";
import {
  type Ran,
  skopeoIn,
  TestRegistry,
} from "../../server/test/support/registry/distribution.ts";
import { writeImage } from "../../server/test/support/registry/oci-image.ts";
import { freePort } from "../../server/test/support/server/free-port.ts";
import { World } from "../../server/test/support/world/world.ts";
import { Home } from "./support/auth-home.ts";
import { CREDENTIAL_HELPER, ShellCommand } from "./support/shell-command.ts";

describe("a real client at a real registry, signed in with docker-credential-wharf", () => {
  let world: World;
  let registry: TestRegistry;
  let home: Home;
  let helper: ShellCommand;
  let ada: string;
  let binding: string;
  let other: string;
  before(async () => {
    const host = `127.0.0.1:${await freePort()}`;
    world = await World.start({ login: true, flags: ["--registry-host", host] });
    registry = await TestRegistry.start(world.server.url, host);
    home = new Home({ WHARF_API: world.server.url });
    const { code, stderr } = await home.logIn(world, "ada");
    assert.equal(code, 0, stderr);
    ada = decodeJwt(await home.ok(["auth", "token"])).sub ?? "";
    binding = await bind(world.login.organization, ada, "registry.push");
    other = (await world.http.post("/iam/v2beta1/groups", { name: "other.example" })).body.uid;
    await world.http.patch(`/iam/v2beta1/groups/${other}`, { verified: true });
    await home.ok(["auth", "configure-docker", "--registry", host]);
    // As a package's installation puts it on the path.
    mkdirSync(join(home.folder, "bin"));
    helper = await ShellCommand.install(join(home.folder, "bin"), CREDENTIAL_HELPER);
  });
  after(async () => {
    helper.stop();
    await registry.stop();
    await world.stop();
    home.remove();
  });

  async function bind(group: string, identityUid: string, role: string): Promise<string> {
    const body = { identityUid, roleUid: builtinRole(role)?.uid };
    const made = await world.http.post(`/iam/v2beta1/roleBindings/${group}`, body);
    assert.equal(made.status, 200, JSON.stringify(made.body));
    return made.body.uid;
  }

  const registryToken = async () => {
    const own = await world.server.token();
    return (await exchange(world.server.url, own, { aud: registry.host })).token;
  };
  const at = (path: string) => `docker://${registry.host}/${path}`;
  const authfile = () => join(home.folder, ".docker/config.json");
  /** Runs skopeo as the person whose home it is, with no credentials but those of the helper. */
  const run = (command: string, ...args: string[]): Promise<Ran> => {
    const path = `${join(home.folder, "bin")}:${process.env.PATH}`;
    const sides = command === "copy" ? ["src-", "dest-"] : [""];
    const tls = sides.map((side) => `--${side}tls-verify=false`);
    return skopeoIn(
      { ...home.env, PATH: path },
      command,
      "--authfile",
      authfile(),
      ...tls,
      ...args,
    );
  };
  const image = (content: string) => {
    const folder = mkdtempSync(join(home.folder, "image-"));
    const digest = writeImage(folder, "1", content, ["amd64", "arm64"]);
    return { source: `oci:${folder}:1`, digest };
  };
  const into = () => `dir:${mkdtempSync(join(home.folder, "pulled-"))}`;
  const worked = ({ ok, output }: Ran) => assert.ok(ok, output);
  const refused = ({ ok, output }: Ran) => {
    assert.ok(!ok, output);
    assert.match(output, /denied|unauthorized|authentication required|forbidden/i);
  };

  test("pushes, pulls, lists, copies all architectures and deletes", async () => {
    const { source, digest } = image("first");
    worked(await run("copy", "--all", source, at("acme.example/app:1")));
    worked(await run("copy", "--all", at("acme.example/app:1"), into()));
    worked(await run("copy", "--all", at("acme.example/app:1"), at("acme.example/team/copy:1")));
    const raw = await run("inspect", "--raw", at("acme.example/team/copy:1"));
    assert.equal(JSON.parse(raw.output).manifests.length, 2);
    worked(await run("inspect", "--raw", at(`acme.example/team/copy@${digest}`)));
    const tags = async () => JSON.parse((await run("list-tags", at("acme.example/app"))).output);
    assert.deepEqual((await tags()).Tags, ["1"]);
    worked(await run("delete", at("acme.example/team/copy:1")));
    assert.ok(!(await run("inspect", "--raw", at("acme.example/team/copy:1"))).ok);
    worked(await run("inspect", "--raw", at("acme.example/app:1")));
  });

  test("is denied without a role binding", async () => {
    refused(await run("copy", "--all", image("elsewhere").source, at("other.example/app:1")));
    refused(await run("list-tags", at("other.example/app")));
  });

  test("is denied once the role binding is deleted, and allowed again with a new one", async () => {
    const { source } = image("second");
    worked(await run("copy", "--all", source, at("acme.example/app:2")));
    await world.http.delete(`/iam/v2beta1/roleBindings/${binding}`);
    refused(await run("copy", "--all", source, at("acme.example/app:3")));
    refused(await run("delete", at("acme.example/app:2")));
    binding = await bind(world.login.organization, ada, "registry.push");
    worked(await run("copy", "--all", source, at("acme.example/app:3")));
    worked(await run("delete", at("acme.example/app:3")));
  });

  test("a pull token can pull and list, cannot push, and is invalid once revoked", async () => {
    const asOperator = { env: { WHARF_TOKEN: await world.server.token() } };
    const parent = ["--parent", world.login.organization];
    const create = ["auth", "pull-token", "create", "build", ...parent, "-o", "json"];
    const made = JSON.parse(await home.ok(create, asOperator));
    assert.equal(made.registry, registry.host);
    const creds = `${made.username}:${made.password}`;
    const plain = (command: string, ...args: string[]) => skopeoIn(home.env, command, ...args);
    const pull = () => {
      const flags = ["--all", "--src-tls-verify=false", "--src-creds", creds];
      return plain("copy", ...flags, at("acme.example/app:1"), into());
    };
    worked(await pull());
    const tags = at("acme.example/app");
    worked(await plain("list-tags", "--tls-verify=false", "--creds", creds, tags));
    const push = ["--all", "--dest-tls-verify=false", "--dest-creds", creds];
    refused(await plain("copy", ...push, image("third").source, at("acme.example/app:4")));
    await home.ok(["auth", "pull-token", "revoke", made.uid, "-y"], asOperator);
    assert.match((await pull()).output, /invalid username\/password|unauthorized/i);
  });

  test("public images are pulled with a login that has no role there, and without one", async () => {
    const { source } = image("public");
    const push = ["--all", "--dest-tls-verify=false", "--dest-creds"];
    const operator = `_token:${await registryToken()}`;
    worked(await skopeoIn(home.env, "copy", ...push, operator, source, at("other.example/app:1")));
    refused(await run("inspect", "--raw", at("other.example/app:1")));
    const pull = await bind(other, literalIdentityUid("wharf", "anyone"), "registry.pull");
    worked(await run("inspect", "--raw", at("other.example/app:1")));
    refused(await run("copy", "--all", source, at("other.example/app:2")));
    await home.ok(["auth", "logout"]);
    worked(await run("inspect", "--raw", at("other.example/app:1")));
    refused(await run("list-tags", at("acme.example/app")));
    await world.http.delete(`/iam/v2beta1/roleBindings/${pull}`);
    refused(await run("inspect", "--raw", at("other.example/app:1")));
  });
});
