import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { literalIdentityUid } from "@wharf/contract";
import { type Ran, skopeo, TestRegistry } from "./support/registry/distribution.ts";
import { writeImage } from "./support/registry/oci-image.ts";
import { freePort } from "./support/server/free-port.ts";
import { World } from "./support/world/world.ts";

const ANYONE = literalIdentityUid("wharf", "anyone");

describe("access control of a real registry", () => {
  let world: World;
  let registry: TestRegistry;
  let folder: string;
  let digest: string;
  let pusher: string;
  let puller: string;
  let looker: string;
  before(async () => {
    const host = `127.0.0.1:${await freePort()}`;
    world = await World.start({ registry: host });
    registry = await TestRegistry.start(world.server.url, host);
    folder = mkdtempSync(join(tmpdir(), "wharf-image-"));
    digest = writeImage(join(folder, "image"), "1.0", "hello", ["amd64", "arm64"]);
    pusher = await world.registry.holder("pusher", "registry.push");
    puller = await world.registry.holder("puller", "registry.pull");
    looker = await world.registry.holder("looker", "console_viewer");
  });
  after(async () => {
    await registry.stop();
    await world.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const at = (path: string) => `docker://${world.registry.host}/${path}`;
  const ours = async (identity: string) => [
    "--creds",
    `_token:${await world.registry.token(identity)}`,
  ];
  const push = async (creds: readonly string[], path: string): Promise<Ran> => {
    const to = creds.map((one) => (one === "--creds" ? "--dest-creds" : one));
    const flags = ["--all", "--dest-tls-verify=false"];
    return skopeo("copy", ...flags, ...to, `oci:${join(folder, "image")}:1.0`, at(path));
  };
  const pull = async (creds: readonly string[], path: string): Promise<Ran> => {
    const from = creds.map((one) => (one.startsWith("--") ? one.replace("--", "--src-") : one));
    const into = mkdtempSync(join(folder, "pulled-"));
    return skopeo("copy", "--all", "--src-tls-verify=false", ...from, at(path), `dir:${into}`);
  };
  const run = async (command: string, creds: readonly string[], path: string, ...flags: string[]) =>
    skopeo(command, "--tls-verify=false", ...flags, ...creds, at(path));
  const refused = ({ ok, output }: Ran) => {
    assert.ok(!ok, output);
    assert.match(output, /denied|unauthorized|invalid username\/password|forbidden/i);
  };
  const worked = ({ ok, output }: Ran) => assert.ok(ok, output);

  test("a pusher can push a multi-architecture image, and pull it", async () => {
    const creds = await ours(pusher);
    worked(await push(creds, "acme/app:1.0"));
    worked(await pull(creds, "acme/app:1.0"));
    const { output } = await run("inspect", creds, "acme/app:1.0", "--raw");
    assert.equal(JSON.parse(output).manifests.length, 2);
  });

  test("a puller can pull and list, and cannot push or delete", async () => {
    const creds = await ours(puller);
    worked(await pull(creds, "acme/app:1.0"));
    worked(await pull(creds, `acme/app@${digest}`));
    const { output } = await run("list-tags", creds, "acme/app");
    assert.deepEqual(JSON.parse(output).Tags, ["1.0"]);
    refused(await push(creds, "acme/app:2.0"));
    refused(await push(creds, "acme/new:1.0"));
    refused(await run("delete", creds, "acme/app:1.0"));
    worked(await pull(creds, "acme/app:1.0"));
  });

  test("a caller without pull capabilities cannot read from the registry", async () => {
    for (const creds of [
      await ours(looker),
      await ours(await world.registry.identity("nobody")),
      ["--no-creds"],
    ]) {
      refused(await pull(creds, "acme/app:1.0"));
      refused(await run("list-tags", creds, "acme/app"));
    }
  });

  test("a workload authenticates with its own token, and a credential helper with a stored session", async () => {
    const token = await world.registry.issuer.sign({ sub: "puller" });
    worked(await pull(["--creds", `${puller}:${token}`], "acme/app:1.0"));
    const authfile = join(folder, "auth.json");
    const login = ["login", "--tls-verify=false", "--authfile", authfile, "-u", "_token"];
    worked(await skopeo(...login, "-p", await world.registry.token(puller), world.registry.host));
    const stored = ["--authfile", authfile, "--src-tls-verify=false"];
    const into = mkdtempSync(join(folder, "pulled-"));
    worked(await skopeo("copy", ...stored, at("acme/app:1.0"), `dir:${into}`));
    refused(await skopeo(...login, "-p", "not a token", world.registry.host));
  });

  test("deleting the binding takes effect immediately", async () => {
    const uid = await world.registry.identity("leaver");
    const binding = await world.bind(world.registry.organization, uid, "registry.pull");
    const creds = await ours(uid);
    worked(await pull(creds, "acme/app:1.0"));
    await world.http.delete(`/iam/v2beta1/roleBindings/${binding}`);
    refused(await pull(creds, "acme/app:1.0"));
  });

  test("anonymous pulls work only while the group is public", async () => {
    worked(await push(await ours(pusher), "acme/team/public:1.0"));
    refused(await pull(["--no-creds"], "acme/team/public:1.0"));
    const binding = await world.bind(world.registry.team, ANYONE, "registry.pull");
    worked(await pull(["--no-creds"], "acme/team/public:1.0"));
    refused(await push(["--dest-no-creds"], "acme/team/public:2.0"));
    refused(await pull(["--no-creds"], "acme/app:1.0"));
    await world.http.delete(`/iam/v2beta1/roleBindings/${binding}`);
    refused(await pull(["--no-creds"], "acme/team/public:1.0"));
  });

  test("pushing to a new path requires the capabilities to create folders and repo", async () => {
    const team = await world.registry.holder("team-pusher", "registry.push", world.registry.team);
    const creds = await ours(team);
    worked(await push(creds, "acme/team/new/folder/app:1.0"));
    refused(await push(creds, "acme/elsewhere/app:1.0"));
    refused(await push(creds, "stranger/app:1.0"));
  });

  test("only the operator can read the catalog", async () => {
    const catalog = async (identity?: string) => {
      const question = { user: "_token", password: await world.registry.token(identity) };
      const { body } = await world.registry.ask({ ...question, scope: "registry:catalog:*" });
      const authorization = `Bearer ${body.token}`;
      return fetch(`http://${world.registry.host}/v2/_catalog`, { headers: { authorization } });
    };
    const shown = (await (await catalog()).json()) as { repositories: string[] };
    assert.ok(shown.repositories.includes("acme/app"));
    assert.equal((await catalog(pusher)).status, 401);
  });

  test("a token for one repository is rejected for another", async () => {
    const question = { user: "_token", password: await world.registry.token(puller) };
    const { body } = await world.registry.ask({ ...question, scope: "repository:acme/app:pull" });
    const headers = { authorization: `Bearer ${body.token}` };
    const status = async (path: string, token = headers) =>
      (await fetch(`http://${world.registry.host}/v2/${path}/tags/list`, { headers: token }))
        .status;
    assert.equal(await status("acme/app"), 200);
    assert.equal(await status("acme/team/public"), 401);
    const own = { authorization: `Bearer ${question.password}` };
    assert.equal(await status("acme/app", own), 401, "the registry takes no token of ours itself");
  });

  test("the registry accepts rotated keys without a change of configuration", async () => {
    await world.server.admin("keys", "rotate");
    worked(await pull(await ours(puller), "acme/app:1.0"));
  });

  test("a caller with delete capabilities can delete", async () => {
    const creds = await ours(pusher);
    worked(await run("delete", creds, "acme/app:1.0"));
    assert.ok(!(await pull(creds, "acme/app:1.0")).ok);
  });
});
