import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, describe, test } from "node:test";
import { Http } from "../../server/test/support/client/http.ts";
import { skopeo } from "../../server/test/support/registry/distribution.ts";
import { writeImage } from "../../server/test/support/registry/oci-image.ts";
import { freePort } from "../../server/test/support/server/free-port.ts";
import { until } from "../../server/test/support/until.ts";
import { World } from "../../server/test/support/world/world.ts";
import { cleanEnvironment, LAUNCHER, wharf } from "./support/command.ts";

/** The command, running. */
class Running {
  readonly child: ChildProcess;
  readonly said: string[] = [];
  readonly errors: string[] = [];

  constructor(args: readonly string[]) {
    this.child = spawn(process.execPath, [LAUNCHER, "registry", "run", ...args], {
      env: cleanEnvironment(),
      stdio: ["ignore", "pipe", "pipe"],
    });
    process.once("exit", () => this.child.kill("SIGKILL"));
    const { stdout, stderr } = this.child;
    if (stdout) createInterface({ input: stdout }).on("line", (line) => this.said.push(line));
    if (stderr) createInterface({ input: stderr }).on("line", (line) => this.errors.push(line));
  }

  ready(): Promise<boolean> {
    return until(async () => {
      assert.equal(this.child.exitCode, null, this.errors.join("\n"));
      return this.said.some((line) => line.startsWith("wharf: registry ready at"));
    });
  }

  async exit(): Promise<number | null> {
    if (this.child.exitCode === null) await once(this.child, "exit");
    return this.child.exitCode;
  }

  async stop(): Promise<number | null> {
    if (this.child.exitCode === null) {
      this.child.kill("SIGTERM");
      await once(this.child, "exit");
    }
    return this.child.exitCode;
  }
}

describe("wharf registry run", () => {
  let world: World;
  let host: string;
  let urls: string[];
  let folder: string;
  let running: Running;
  before(async () => {
    host = `127.0.0.1:${await freePort()}`;
    urls = ["--registry-urls", `${host}=http://${host}`];
    world = await World.start({ registry: host, flags: [...urls, "--reconcile-minutes", "0"] });
    folder = mkdtempSync(join(tmpdir(), "wharf-run-"));
    running = new Running([...world.server.storeFlags, ...urls]);
    await running.ready();
  });
  after(async () => {
    await running.stop();
    await world.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  async function push(path: string, own?: string): Promise<string> {
    const image = mkdtempSync(join(folder, "image-"));
    const digest = writeImage(image, "1", image);
    const creds = [
      "--dest-creds",
      `_token:${await world.registry.token(undefined, undefined, own)}`,
    ];
    const flags = ["--dest-tls-verify=false", ...creds];
    const { ok, output } = await skopeo(
      "copy",
      ...flags,
      `oci:${image}:1`,
      `docker://${host}/${path}`,
    );
    assert.ok(ok, output);
    return digest;
  }

  const tagged = (digest: string, operator = world.http) =>
    until(async () => {
      const { body } = await operator.get(`/registry/v2beta1/tags?digest=${digest}`);
      return body.tags?.length === 1;
    });

  test("runs a registry that is attached to the server", async () => {
    await tagged(await push("acme/app:1"));
    await until(async () => running.errors.some((line) => line.includes("docker push")));
    assert.ok(!running.errors.some((line) => line.includes("level=")), running.errors.join("\n"));
    const { mode } = statSync(join(world.server.data, "registry", "config.yml"));
    assert.equal(mode & 0o777, 0o600, "it holds the secret");
    const anonymous = await fetch(`http://${host}/v2/acme/app/tags/list`);
    assert.equal(anonymous.status, 401);
  });

  test("keeps running through key rotations", async () => {
    for (let turn = 0; turn < 2; turn++) {
      await world.server.admin("keys", "rotate");
      // Until it is back: the one that goes down answers for a moment.
      const back = () => running.errors.filter((line) => line.includes("registry is back"));
      await until(async () => back().length > turn);
      await tagged(await push(`acme/rotated:${turn}`));
    }
  });

  test("a second one at the same address exits with the reason, and is never ready", async () => {
    const second = new Running([...world.server.storeFlags, ...urls]);
    assert.equal(await second.exit(), 1);
    assert.deepEqual(second.said, []);
    const said = second.errors.join("\n");
    assert.match(said, /wharf: the registry exited with code 1: .*address already in use/);
    assert.ok(said.includes(`another process listens at ${host}`), said);
    // It has written the configuration of the first, whose next restart writes it again.
    assert.equal((await fetch(`http://${host}/v2/`)).status, 401, "the first keeps running");
  });

  test("exits with the reason when its registry dies", async () => {
    const [pid] = readFileSync(`/proc/${running.child.pid}/task/${running.child.pid}/children`)
      .toString()
      .trim()
      .split(" ");
    process.kill(Number(pid), "SIGKILL");
    assert.equal(await running.exit(), 1);
    assert.match(running.errors.at(-1) ?? "", /wharf: the registry was terminated by SIGKILL/);
    running = new Running([...world.server.storeFlags, ...urls]);
    await running.ready();
    await tagged(await push("acme/again:1"));
  });

  test("reports a server to which the registry is not attached", async () => {
    const other = `127.0.0.1:${await freePort()}`;
    const flags = ["--registry-urls", `${other}=http://${other}`];
    const { code, stderr } = await wharf(["registry", "run", ...world.server.storeFlags, ...flags]);
    assert.equal(code, 1);
    assert.match(stderr, /is not attached to the server/);
    assert.ok(stderr.includes(`--registry-urls ${other}=http://${other}`));
  });

  test("without a registry program, says what to install", async () => {
    const env = { PATH: folder };
    const { code, stderr } = await wharf(["registry", "run", ...world.server.storeFlags], { env });
    assert.equal(code, 1);
    assert.match(stderr, /docker-registry is not installed\n.*apt install docker-registry/);
  });

  test("reconciles for the operator, and denies others", async () => {
    const env = { WHARF_API: world.server.url, WHARF_TOKEN: await world.server.token() };
    const reconcile = (args: readonly string[], more = {}) =>
      wharf(["registry", "reconcile", ...args], { env: { ...env, ...more } });
    const { code, stdout, stderr } = await reconcile(["-o", "json"]);
    assert.equal(code, 0, stderr);
    const [found] = JSON.parse(stdout).items;
    assert.deepEqual([found.host, found.pending, found.findings.repos], [host, false, 3]);
    assert.match((await reconcile([host])).stdout, /^HOST +REPOS +SAME +CREATED/);
    const unknown = await reconcile(["other.example"]);
    assert.deepEqual([unknown.code, unknown.stdout], [5, ""]);
    const owner = await world.registry.holder("owner", "owner");
    const refused = await reconcile([], { WHARF_TOKEN: await world.server.token(owner) });
    assert.equal(refused.code, 4);
    assert.match(refused.stderr, /needs the operator's token/);
  });

  test("reports an unreachable server, keeps running, and reports its return", async () => {
    await world.server.terminate();
    const said = (text: string) =>
      until(async () => running.errors.some((line) => line.includes(text)));
    await said("is unreachable; until it is back");
    assert.equal((await fetch(`http://${host}/v2/`)).status, 401);
    await world.server.restart();
    await said("is back");
    await tagged(await push("acme/back:1"));
  });

  test("reports an unavailable registry", async () => {
    await running.stop();
    const env = { WHARF_API: world.server.url, WHARF_TOKEN: await world.server.token() };
    const { code, stderr } = await wharf(["registry", "reconcile"], { env });
    assert.equal(code, 1);
    assert.match(stderr, /cannot be read/);
    assert.match(stderr, /retries .* until it responds/);
  });

  test("waits for a server that has not started", async () => {
    await world.server.terminate();
    running = new Running([...world.server.storeFlags, ...urls]);
    await until(async () => running.errors.some((line) => line.includes("waiting for the server")));
    await world.server.restart();
    await running.ready();
    await tagged(await push("acme/waited:1"));
  });

  test("keeps running after all keys and secrets were replaced", async () => {
    await world.server.admin("keys", "rotate", "--all", "-y");
    await until(async () => running.errors.some((line) => line.includes("registry is back")));
    const token = await world.server.token();
    await tagged(await push("acme/replaced:1", token), new Http(world.server.url, token));
  });

  test("stops the registry on SIGTERM and exits with 0", async () => {
    assert.equal(await running.stop(), 0);
    await assert.rejects(fetch(`http://${host}/v2/`));
  });
});
