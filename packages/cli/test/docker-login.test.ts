/** The sign-in of container clients at the registry of the server: pull tokens, the credential helper, wrong passwords. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { freePort } from "../../server/test/support/server/free-port.ts";
import { World } from "../../server/test/support/world/world.ts";
import { Home } from "./support/auth-home.ts";
import { CREDENTIAL_HELPER, ShellCommand } from "./support/shell-command.ts";

const HINT =
  "the password must be a valid token of the identity, such as a pull token that is neither expired nor revoked";
const TOKEN_HINT = "the password of _token must be a token: wharf auth token prints one";

/** A response as a client reads it, and the sentence that it shows for a refusal. */
interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: bodies of several shapes.
  readonly body: any;
  readonly sentence: string | undefined;
}

async function get(url: string, authorization?: string): Promise<Answer> {
  const answer = await fetch(url, { headers: authorization ? { authorization } : {} });
  const body = JSON.parse(await answer.text());
  const sentence = body.errors?.[0].message;
  return { status: answer.status, headers: answer.headers, body, sentence };
}

/** The requests of `docker login`, as its client sends them; answers with the first refusal, or the last response. */
async function dockerLogin(host: string, user: string, password: string): Promise<Answer> {
  const probe = await get(`http://${host}/v2/`);
  assert.equal(probe.status, 401);
  const challenge = probe.headers.get("www-authenticate") ?? "";
  assert.match(challenge, /^Bearer /);
  const parameter = (name: string) => new RegExp(`${name}="([^"]*)"`).exec(challenge)?.[1] ?? "";
  const query = new URLSearchParams({
    account: user,
    client_id: "docker",
    offline_token: "true",
    service: parameter("service"),
  });
  const basic = `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
  const tokenAnswer = await get(`${parameter("realm")}?${query}`, basic);
  if (tokenAnswer.status !== 200) return tokenAnswer;
  // Docker would store a refresh token in place of the password.
  assert.equal(tokenAnswer.body.refresh_token, undefined);
  return get(`http://${host}/v2/`, `Bearer ${tokenAnswer.body.token}`);
}

describe("docker login", () => {
  let world: World;
  let home: Home;
  let helper: ShellCommand;
  let host: string;
  let pullToken: { readonly uid: string; readonly username: string; readonly password: string };
  before(async () => {
    host = `127.0.0.1:${await freePort()}`;
    world = await World.start({ login: true, flags: ["--listen", host] });
    home = new Home({ WHARF_API: world.server.url });
    mkdirSync(join(home.folder, "bin"));
    helper = await ShellCommand.install(join(home.folder, "bin"), CREDENTIAL_HELPER);
    const { organization } = world.login;
    const create = ["auth", "pull-token", "create", "build", "--parent", organization];
    pullToken = JSON.parse(await asOperator(...create, "-o", "json"));
  });
  after(async () => {
    helper.stop();
    await world.stop();
    home.remove();
  });

  const asOperator = async (...args: string[]) =>
    home.ok(args, { env: { WHARF_TOKEN: await world.server.token() } });
  const authfile = () => join(home.folder, ".docker/config.json");
  /** Runs a client with the home of a person, and a password as its input. */
  const run = (input: string, program: string, ...args: string[]) => {
    const path = `${join(home.folder, "bin")}:${process.env.PATH}`;
    const env = { ...home.env, PATH: path, REGISTRY_AUTH_FILE: authfile() };
    return new Promise<{ ok: boolean; output: string }>((resolve) => {
      const child = execFile(program, args, { env }, (error, stdout, stderr) => {
        resolve({ ok: error === null, output: `${stdout}${stderr}` });
      });
      child.stdin?.end(input);
    });
  };
  const byPassword = (program: string, user: string, password: string) => {
    const tls = program === "skopeo" ? ["--tls-verify=false"] : [];
    return run(password, program, "login", ...tls, "-u", user, "--password-stdin", host);
  };
  // Debian has no package of the command alone.
  const docker = process.env.PATH?.split(":").some((folder) => existsSync(join(folder, "docker")));
  const clients = docker ? ["docker", "skopeo"] : ["skopeo"];

  test("a pull token is accepted, in docker's requests and by clients, which store it", async () => {
    const { uid, username, password } = pullToken;
    for (const user of [username, uid]) {
      assert.equal((await dockerLogin(host, user, password)).status, 200);
    }
    for (const program of clients) {
      const { ok, output } = await byPassword(program, username, password);
      assert.ok(ok, output);
      const { auth } = JSON.parse(readFileSync(authfile(), "utf8")).auths[host];
      assert.equal(Buffer.from(auth, "base64").toString(), `${username}:${password}`);
      assert.ok((await run("", program, "logout", host)).ok);
    }
  });

  test("a wrong password is refused with what it must be, and is not stored", async () => {
    const { username, password } = pullToken;
    const forged = `${password.slice(0, -8)}AAAAAAAA`;
    const unknown = `${username.slice(0, 40)}_0123456789abcdef`;
    for (const [user, wrong, sentence] of [
      [username, "wrong", `invalid "identity": ${HINT}`],
      [username, "a.b.c", `the token is malformed: ${HINT}`],
      [username, forged, `the token's signature is invalid: ${HINT}`],
      // Nothing tells whether an identity exists.
      [unknown, "wrong", `invalid "identity": ${HINT}`],
      [unknown, password, `invalid "identity": ${HINT}`],
      ["_token", "wrong", TOKEN_HINT],
      ["ada", password, "the user name must be _token, or the uid of an identity"],
    ] as const) {
      const refused = await dockerLogin(host, user, wrong);
      assert.deepEqual([refused.status, refused.sentence], [401, sentence]);
      assert.equal(refused.body.errors[0].code, "UNAUTHORIZED");
      for (const program of clients) {
        const { ok, output } = await byPassword(program, user, wrong);
        assert.ok(!ok, output);
        // Skopeo has a sentence of its own for 401.
        const message = program === "docker" ? `unauthorized: ${sentence}\n` : "invalid username";
        assert.ok(output.includes(message), output);
      }
    }
    const stored = existsSync(authfile()) ? JSON.parse(readFileSync(authfile(), "utf8")) : {};
    assert.equal(stored.auths?.[host], undefined);
  });

  test("a revoked pull token is refused", async () => {
    const create = ["auth", "pull-token", "create", "gone", "--parent", world.login.organization];
    const { uid, username, password } = JSON.parse(await asOperator(...create, "-o", "json"));
    assert.equal((await dockerLogin(host, username, password)).status, 200);
    await asOperator("auth", "pull-token", "revoke", uid, "-y");
    const refused = await dockerLogin(host, username, password);
    assert.deepEqual([refused.status, refused.sentence], [401, `invalid "identity": ${HINT}`]);
  });

  test("the credential helper signs in without a password, until the logout", async () => {
    const { code, stderr } = await home.logIn(world, "ada");
    assert.equal(code, 0, stderr);
    await home.ok(["auth", "configure-docker"]);
    const { Username, Secret } = JSON.parse((await home.helper("get", host)).stdout);
    assert.equal((await dockerLogin(host, Username, Secret)).status, 200);
    // docker login needs an engine for credentials that it does not ask for.
    const login = () => run("", "skopeo", "login", "--tls-verify=false", host);
    const { ok, output } = await login();
    assert.ok(ok, output);
    assert.match(output, /Already logged in/);
    await home.ok(["auth", "logout"]);
    assert.ok(!(await login()).ok);
    const revoked = await dockerLogin(host, Username, Secret);
    assert.equal(revoked.status, 401);
  });
});
