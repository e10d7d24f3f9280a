import assert from "node:assert/strict";
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";
import { decodeJwt } from "jose";
import { runs } from "../../server/test/support/oracle/runs.ts";
import { World } from "../../server/test/support/world/world.ts";
import { dockerFolder, userHome } from "../src/auth/docker/config-file.ts";
import { Home } from "./support/auth-home.ts";

const REGISTRY = "cr.acme.example";
const NOT_FOUND = "credentials not found in native keychain\n";

describe("docker-credential-wharf", () => {
  let world: World;
  let home: Home;
  before(async () => {
    world = await World.start({ login: true, flags: ["--registry-host", REGISTRY] });
    home = new Home({ WHARF_API: world.server.url });
    home.write("config/wharf/config.yaml", `platform:\n  registry: ${REGISTRY}\n`);
    const { code, stderr } = await home.logIn(world, "ada");
    assert.equal(code, 0, stderr);
  });
  after(async () => {
    home.remove();
    await world.stop();
  });

  test("get answers with a token for the registry", async () => {
    for (const address of [
      REGISTRY,
      `https://${REGISTRY}`,
      `https://${REGISTRY}/v2/`,
      `eu.${REGISTRY}`,
    ]) {
      const { code, stdout, stderr } = await home.helper("get", `${address}\n`);
      assert.equal(code, 0, stdout + stderr);
      const { ServerURL, Username, Secret, ...others } = JSON.parse(stdout);
      assert.deepEqual([ServerURL, Username, others], [address, "_token", {}]);
      assert.equal(decodeJwt(Secret).aud, REGISTRY);
      assert.equal(stderr, "");
    }
    assert.ok(home.login.tokens[REGISTRY], "kept for next time");
  });

  test("get renews the token, once for concurrent requests", async () => {
    home.expire();
    const ask = () => home.startProcess(["get"], { input: REGISTRY }, "docker-credential-wharf");
    const answers = await Promise.all(Array.from({ length: runs(3, 10) }, () => ask().ended));
    const secrets = answers.map(({ stdout }) => JSON.parse(stdout).Secret);
    assert.equal(new Set(secrets).size, 1);
    assert.ok((decodeJwt(secrets[0]).exp ?? 0) * 1000 > Date.now());
    await home.ok(["auth", "token"]);
  });

  test("other registries are ignored", async () => {
    for (const address of [
      "docker.io",
      "https://index.docker.io/v1/",
      `evil${REGISTRY}`,
      `${REGISTRY}.evil.example`,
      `https://${REGISTRY}@evil.example`,
      `https://evil.example/${REGISTRY}`,
      "not a host",
    ]) {
      const { code, stdout } = await home.helper("get", address);
      assert.deepEqual([code, stdout], [1, NOT_FOUND], address);
    }
  });

  test("without a login, docker continues anonymously", async () => {
    const stranger = new Home(home.env as Record<string, string>);
    const env = { XDG_CACHE_HOME: stranger.cache };
    const { code, stdout } = await stranger.helper("get", REGISTRY, { env });
    assert.deepEqual([code, stdout], [1, NOT_FOUND]);
    assert.ok(!existsSync(stranger.opened), "and no browser opens");
    assert.equal((await stranger.helper("list", "", { env })).stdout, "{}\n");
    stranger.remove();
  });

  test("with WHARF_TOKEN, its token is exchanged for the registry's", async () => {
    const token = await home.ok(["auth", "token"]);
    const env = { WHARF_TOKEN: token.trim(), XDG_CACHE_HOME: join(home.folder, "none") };
    const { code, stdout } = await home.helper("get", REGISTRY, { env });
    assert.equal(code, 0, stdout);
    assert.equal(decodeJwt(JSON.parse(stdout).Secret).aud, REGISTRY);
  });

  test("list, store, erase, and unknown verbs", async () => {
    assert.deepEqual(JSON.parse((await home.helper("list")).stdout), { [REGISTRY]: "_token" });
    const stored = (username: string) =>
      home.helper(
        "store",
        JSON.stringify({ ServerURL: REGISTRY, Username: username, Secret: "s" }),
      );
    assert.deepEqual([(await stored("_token")).code, (await stored("_token")).stdout], [0, ""]);
    const refused = await stored("ada");
    assert.equal(refused.code, 1);
    assert.match(refused.stdout, /stores no passwords/);
    assert.equal((await home.helper("store", "not json")).code, 1);
    await home.helper("get", REGISTRY);
    const erased = await home.helper("erase", REGISTRY);
    assert.deepEqual([erased.code, erased.stdout], [0, ""]);
    assert.equal(home.login.tokens[REGISTRY], undefined);
    assert.equal((await home.helper("get", REGISTRY)).code, 0, "the login stays");
    assert.match((await home.helper("version")).stdout, /^docker-credential-wharf \d/);
    for (const [verb, input] of [
      ["fly", ""],
      ["get", ""],
    ] as const) {
      const { code, stdout } = await home.helper(verb, input);
      assert.equal(code, 1);
      assert.match(stdout, verb === "fly" ? /^usage: / : /^no credentials server URL\n$/);
    }
  });
});

describe("auth configure-docker", () => {
  let home: Home;
  beforeEach(() => {
    home = new Home({ WHARF_API: "https://wharf.acme.example" });
  });
  afterEach(() => home.remove());

  const configure = (...args: string[]) => home.ok(["auth", "configure-docker", ...args]);
  const read = (path = ".docker/config.json") =>
    JSON.parse(readFileSync(join(home.folder, path), "utf8"));

  test("creates the file with mode 0600", async () => {
    await configure();
    assert.deepEqual(read(), { credHelpers: { "wharf.acme.example": "wharf" } });
    assert.equal(statSync(join(home.folder, ".docker/config.json")).mode & 0o777, 0o600);
    assert.equal(statSync(join(home.folder, ".docker")).mode & 0o777, 0o700);
    assert.ok(!existsSync(join(home.folder, "config/wharf")), "nothing new for the config file");
  });

  test("keeps other settings, and the mode of the file", async () => {
    const there = {
      auths: { "https://index.docker.io/v1/": { auth: "c2VjcmV0" } },
      credsStore: "desktop",
      credHelpers: { "gcr.io": "gcloud", "cr.acme.example": "old" },
      unknown: { deep: [1, { more: null }] },
    };
    const file = home.write(".docker/config.json", JSON.stringify(there));
    chmodSync(file, 0o640);
    const args = ["auth", "configure-docker", "--registry", "cr.acme.example"];
    const { code, stderr } = await home.run(args);
    assert.equal(code, 0, stderr);
    const credHelpers = { "gcr.io": "gcloud", "cr.acme.example": "wharf" };
    assert.deepEqual(read(), { ...there, credHelpers });
    assert.deepEqual(Object.keys(read()), Object.keys(there), "in the same order");
    assert.equal(statSync(file).mode & 0o777, 0o640);
    assert.match(stderr, /replaces the credential helper old of cr\.acme\.example/);
    const kept = readFileSync(join(home.folder, "config/wharf/config.yaml"), "utf8");
    assert.match(kept, /registry: cr\.acme\.example/);
    await configure("--registry", "two.example");
    const both = readFileSync(join(home.folder, "config/wharf/config.yaml"), "utf8");
    assert.match(both, /registry: cr\.acme\.example,two\.example/);
    const listed = await home.helper("list", "", { env: { WHARF_TOKEN: "x" } });
    assert.deepEqual(Object.keys(JSON.parse(listed.stdout)), ["cr.acme.example", "two.example"]);
  });

  test("--dry-run prints, and writes nothing", async () => {
    const printed = JSON.parse(await configure("--dry-run", "--registry", "cr.acme.example"));
    assert.deepEqual(printed, { credHelpers: { "cr.acme.example": "wharf" } });
    assert.ok(!existsSync(join(home.folder, ".docker")));
    assert.ok(!existsSync(join(home.folder, "config")));
  });

  test("follows DOCKER_CONFIG and symbolic links", async () => {
    mkdirSync(join(home.folder, "dotfiles"));
    mkdirSync(join(home.folder, "elsewhere"));
    const real = join(home.folder, "dotfiles/docker.json");
    writeFileSync(real, '{"a":1}');
    const link = join(home.folder, "elsewhere/config.json");
    symlinkSync(real, link);
    const env = { DOCKER_CONFIG: join(home.folder, "elsewhere") };
    await home.ok(["auth", "configure-docker"], { env });
    assert.ok(lstatSync(link).isSymbolicLink());
    assert.deepEqual(read("dotfiles/docker.json"), {
      a: 1,
      credHelpers: { "wharf.acme.example": "wharf" },
    });
  });

  test("an invalid config file is neither changed nor quoted", async () => {
    for (const text of ['{"auths": secret', "[]", '{"credHelpers": []}']) {
      const file = home.write(".docker/config.json", text);
      const { code, stderr } = await home.run(["auth", "configure-docker"]);
      assert.equal(code, 2, text);
      assert.ok(!stderr.includes("secret"), stderr);
      assert.equal(readFileSync(file, "utf8"), text);
    }
  });

  test("a registry is a host", async () => {
    for (const host of ["https://cr.example", "cr.example/path", "cr example", "me@cr.example"]) {
      const { code, stderr } = await home.run(["auth", "configure-docker", "--registry", host]);
      assert.equal(code, 2, host);
      assert.match(stderr, /--registry must be a host/);
    }
    assert.ok(!existsSync(join(home.folder, ".docker")));
    await configure("--registry", "cr.example:5000");
    assert.deepEqual(read(), { credHelpers: { "cr.example:5000": "wharf" } });
  });

  test("with sudo, changes the file of the user who ran it and keeps its owner", async () => {
    const passwd = home.write(
      "passwd",
      `root:x:0:0::/root:/bin/sh\nada:x:1000:1000::/home/ada:/bin/sh\n`,
    );
    assert.equal(userHome({ SUDO_USER: "ada" }, 0, passwd), "/home/ada");
    assert.notEqual(userHome({ SUDO_USER: "ada" }, 1000, passwd), "/home/ada");
    assert.notEqual(userHome({ SUDO_USER: "nobody-we-know" }, 0, passwd), "/home/ada");
    assert.equal(dockerFolder({ DOCKER_CONFIG: "/x", SUDO_USER: "ada" }), "/x");
    if (process.getuid?.() !== 0) return;
    chownSync(home.folder, 65_534, 65_534);
    await configure();
    for (const path of [".docker", ".docker/config.json"]) {
      assert.equal(statSync(join(home.folder, path)).uid, 65_534, path);
    }
  });
});
