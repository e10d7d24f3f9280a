/** Podman, Buildah, skopeo, containerd and the docker command at the registry of the server, with docker-credential-wharf. */
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { builtinRole } from "@wharf/contract";
import { decodeJwt } from "jose";
import { freePort } from "../../../server/test/support/server/free-port.ts";
import { until } from "../../../server/test/support/until.ts";
import { World } from "../../../server/test/support/world/world.ts";
import { Home } from "../support/auth-home.ts";
import { CREDENTIAL_HELPER, ShellCommand } from "../support/shell-command.ts";

describe("clients of containers at the registry of the server", () => {
  let world: World;
  let home: Home;
  let helper: ShellCommand;
  let host: string;
  let binding: string;
  before(async () => {
    host = `127.0.0.1:${await freePort()}`;
    world = await World.start({ login: true, flags: ["--listen", host] });
    home = new Home({ WHARF_API: world.server.url });
    const { code, stderr } = await home.logIn(world, "ada");
    assert.equal(code, 0, stderr);
    const identityUid = decodeJwt(await home.ok(["auth", "token"])).sub ?? "";
    const roleUid = builtinRole("registry.push")?.uid;
    const at = `/iam/v2beta1/roleBindings/${world.login.organization}`;
    binding = (await world.http.post(at, { identityUid, roleUid })).body.uid;
    await home.ok(["auth", "configure-docker"]);
    mkdirSync(join(home.folder, "bin"));
    helper = await ShellCommand.install(join(home.folder, "bin"), CREDENTIAL_HELPER);
    mkdirSync(join(home.folder, "run"), { mode: 0o700 });
    writeFileSync(
      join(home.folder, "policy.json"),
      JSON.stringify({ default: [{ type: "insecureAcceptAnything" }] }),
    );
  });
  after(async () => {
    helper.stop();
    await world.stop();
    home.remove();
    for (const folder of runRoots) rmSync(folder, { recursive: true, force: true });
  });

  /** Runs a client with no credentials but those of the helper. */
  function run(program: string, ...args: string[]): Promise<{ ok: boolean; output: string }> {
    const env = {
      ...home.env,
      PATH: `${join(home.folder, "bin")}:${process.env.PATH}`,
      XDG_RUNTIME_DIR: join(home.folder, "run"),
      REGISTRY_AUTH_FILE: join(home.folder, ".docker/config.json"),
      BUILDAH_ISOLATION: "chroot",
      STORAGE_DRIVER: "vfs",
      DOCKER_CLI_EXPERIMENTAL: "enabled",
    };
    return new Promise((resolve) => {
      execFile(program, args, { env }, (error, stdout, stderr) => {
        resolve({ ok: error === null, output: `${stdout}${stderr}` });
      });
    });
  }
  const worked = async (program: string, ...args: string[]) => {
    const { ok, output } = await run(program, ...args);
    assert.ok(ok, `${program} ${args.join(" ")}:\n${output}`);
    return output;
  };
  const refused = async (program: string, ...args: string[]) => {
    const { ok, output } = await run(program, ...args);
    assert.ok(!ok, output);
    assert.match(output, /denied|unauthorized|forbidden/i);
  };
  /** Podman accepts no longer path than 50 characters for its state, which the folder of a test exceeds. */
  const runRoots: string[] = [];
  /** Options for a store of a client's own. */
  const stored = (name: string) => {
    const root = mkdtempSync(join(home.folder, `${name}-`));
    const runRoot = mkdtempSync("/tmp/wharf-run-");
    runRoots.push(runRoot);
    return ["--root", root, "--runroot", runRoot, "--storage-driver", "vfs"];
  };
  const context = (content: string) => {
    const folder = mkdtempSync(join(home.folder, "context-"));
    writeFileSync(join(folder, "hello.txt"), content);
    writeFileSync(join(folder, "Containerfile"), "FROM scratch\nCOPY hello.txt /\n");
    return folder;
  };
  const plain = "--tls-verify=false";
  const signature = () => ["--signature-policy", join(home.folder, "policy.json")];

  test("Buildah builds and pushes, Podman pulls, changes the tag and pushes", async () => {
    const image = `${host}/acme.example/app`;
    const buildah = stored("buildah");
    const layers = ["bud", "--isolation", "chroot", ...signature(), "-t", `${image}:1`];
    await worked("buildah", ...buildah, ...layers, context("by buildah"));
    await worked("buildah", ...buildah, "push", ...signature(), plain, `${image}:1`);
    const podman = stored("podman");
    const pulled = await worked("podman", ...podman, "pull", ...signature(), plain, `${image}:1`);
    await worked("podman", ...podman, "tag", `${image}:1`, `${image}:2`);
    await worked("podman", ...podman, "push", ...signature(), plain, `${image}:2`);
    const config = (
      await worked("buildah", ...buildah, "inspect", "--format", "{{.FromImageID}}", `${image}:1`)
    ).trim();
    assert.ok(pulled.includes(config), pulled);
    const { tags } = await world.operator().tags.list({});
    assert.deepEqual(tags.map(({ name }: { name: string }) => name).sort(), ["1", "2"]);
  });

  // Debian has no package of the command alone.
  const docker = process.env.PATH?.split(":").some((folder) => existsSync(join(folder, "docker")));
  const testDocker = docker ? test : () => {};
  testDocker("the docker command reads manifests without an engine", async () => {
    const image = `${host}/acme.example/app:1`;
    const manifest = JSON.parse(await worked("docker", "manifest", "inspect", "--insecure", image));
    assert.equal(manifest.layers.length, 1);
  });

  test("containerd pushes and pulls with what the helper gives", async () => {
    const folder = mkdtempSync(join(home.folder, "containerd-"));
    const address = join(folder, "socket");
    const config = join(folder, "config.toml");
    writeFileSync(config, `version = 2\ndisabled_plugins = ["io.containerd.grpc.v1.cri"]\n`);
    const places = ["--root", join(folder, "root"), "--state", join(folder, "state")];
    const daemon = spawn("containerd", ["-c", config, "-a", address, ...places], {
      stdio: "ignore",
    });
    try {
      await until(async () => (await run("ctr", "-a", address, "version")).ok);
      const { stdout } = await home.helper("get", host);
      const { Username, Secret } = JSON.parse(stdout);
      const access = ["--plain-http", "--user", `${Username}:${Secret}`];
      const image = `${host}/acme.example/app:1`;
      await worked("ctr", "-a", address, "content", "fetch", ...access, image);
      const copy = `${host}/acme.example/by-ctr:1`;
      await worked("ctr", "-a", address, "images", "tag", image, copy);
      await worked("ctr", "-a", address, "images", "push", ...access, copy);
      const { tags } = await world.operator().tags.list({});
      assert.equal(tags.length, 3);
    } finally {
      daemon.kill("SIGTERM");
      await once(daemon, "exit");
    }
  });

  test("pushes are denied once the role binding is deleted, and everything after the logout", async () => {
    const image = `${host}/acme.example/app:1`;
    const [buildah, podman] = [stored("buildah"), stored("podman")];
    await worked("podman", ...podman, "pull", ...signature(), plain, image);
    await worked("buildah", ...buildah, "pull", ...signature(), plain, image);
    await world.http.delete(`/iam/v2beta1/roleBindings/${binding}`);
    await refused("podman", ...podman, "push", ...signature(), plain, image);
    await refused("buildah", ...buildah, "push", ...signature(), plain, image);
    await home.ok(["auth", "logout"]);
    await refused("podman", ...podman, "pull", ...signature(), plain, image);
    if (docker) await refused("docker", "manifest", "inspect", "--insecure", image);
  });
});
