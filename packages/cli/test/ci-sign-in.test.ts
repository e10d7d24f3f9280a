/** The GitHub Action and the GitLab component, run as their platforms run them. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { decodeJwt } from "jose";
import { parse, parseAllDocuments } from "yaml";
import { certificate } from "../../server/src/wire/testing/certificate.ts";
import { freePort } from "../../server/test/support/server/free-port.ts";
import { REGISTRY, RegistryWorkload, SUBJECT } from "./support/registry-workload.ts";

const DEPLOY = join(import.meta.dirname, "../../../deploy");

describe("jobs sign in to a registry", () => {
  let workload: RegistryWorkload;
  /** The address of the server with TLS, and the certificate's file. */
  let api: string;
  let authority: string;
  let proxy: Server;
  /** Answers in place of the server. */
  let instead: string | undefined;
  before(async () => {
    const port = await freePort();
    api = `https://127.0.0.1:${port}`;
    workload = await RegistryWorkload.start(["--audiences", api]);
    const tls = certificate();
    authority = join(workload.home.folder, "authority.pem");
    writeFileSync(authority, tls.cert);
    proxy = createTlsServer(tls, async ({ url, headers }, response) => {
      const { authorization = "" } = headers;
      const passed = () => fetch(workload.server.url + url, { headers: { authorization } });
      response.end(instead ?? (await (await passed()).text()));
    }).listen(port, "127.0.0.1");
    await once(proxy, "listening");
  });
  after(async () => {
    proxy.closeAllConnections();
    proxy.close();
    await workload.stop();
  });

  /** Runs a script as a job, and answers its output and the credentials that it leaves for Docker. */
  async function job(script: string, env: Readonly<Record<string, string>>, shell = "bash") {
    const folder = mkdtempSync(join(workload.home.folder, "job-"));
    const files = { GITHUB_OUTPUT: join(folder, "output"), GITHUB_ENV: join(folder, "env") };
    for (const file of Object.values(files)) writeFileSync(file, "");
    mkdirSync(join(folder, ".docker"));
    const config = join(folder, ".docker/config.json");
    writeFileSync(config, JSON.stringify({ auths: { "other.test": { auth: "b3RoZXI6MQ==" } } }));
    const all = { PATH: process.env.PATH, HOME: folder, ...files, ...env };
    const ran = await promisify(execFile)(shell, ["-e", "-c", script], { env: all }).then(
      ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
      ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
    );
    const { auths } = JSON.parse(readFileSync(config, "utf8"));
    const [username = "", password = ""] = Buffer.from(auths[REGISTRY]?.auth ?? "", "base64")
      .toString()
      .split(":");
    const output = readFileSync(files.GITHUB_OUTPUT, "utf8");
    return {
      ...ran,
      auths,
      username,
      password,
      output,
      env: readFileSync(files.GITHUB_ENV, "utf8"),
    };
  }

  describe("the GitHub Action", () => {
    let github: Server;
    before(async () => {
      // The part of GitHub Actions that issues tokens to jobs.
      github = createServer(async (asked, response) => {
        const aud = new URL(asked.url ?? "", "http://x").searchParams.get("audience") ?? "";
        const isJob = asked.headers.authorization === "Bearer job-secret";
        response.statusCode = isJob ? 200 : 401;
        response.end(JSON.stringify({ value: await workload.issuer.sign({ sub: SUBJECT, aud }) }));
      }).listen(0, "127.0.0.1");
      await once(github, "listening");
    });
    after(() => {
      github.closeAllConnections();
      github.close();
    });

    const permission = () => ({
      ACTIONS_ID_TOKEN_REQUEST_URL: `http://127.0.0.1:${(github.address() as AddressInfo).port}/t?v=1`,
      ACTIONS_ID_TOKEN_REQUEST_TOKEN: "job-secret",
      CURL_CA_BUNDLE: authority,
    });

    /** The step of the action, with inputs as the runner fills them in. */
    function act(given: Readonly<Record<string, string>>, env: Readonly<Record<string, string>>) {
      const folder = join(DEPLOY, "github-action");
      const action = parse(readFileSync(join(folder, "action.yml"), "utf8"));
      const [step] = action.runs.steps;
      for (const [name, { required }] of Object.entries<{ required?: boolean }>(action.inputs)) {
        assert.ok(!required || name in given, name);
      }
      const filled = (text: string) =>
        text
          .replace(/\$\{\{ github\.action_path \}\}/, folder)
          .replace(
            /\$\{\{ inputs\.(\w+) \}\}/g,
            (_, name) => given[name] ?? action.inputs[name].default,
          );
      const inputs = Object.entries<string>(step.env).map(([name, text]) => [name, filled(text)]);
      return job(filled(step.run), { ...Object.fromEntries(inputs), ...env });
    }

    test("signs the job and Docker in, and keeps other logins", async () => {
      const inputs = { api: `${api}/`, identity: workload.identity, registry: REGISTRY };
      const done = await act(inputs, permission());
      assert.equal(done.code, 0, done.stdout + done.stderr);
      const [, token = ""] = /^token=(\S+)$/m.exec(done.output) ?? [];
      assert.equal(decodeJwt(token).aud, api);
      assert.ok(done.stdout.includes(`::add-mask::${token}\n`));
      assert.ok(done.stdout.includes(`::add-mask::${done.password}\n`));
      assert.equal(done.env, `WHARF_API=${api}\nWHARF_IDENTITY=${workload.identity}\n`);
      await workload.pulls(done.username, done.password);
      assert.equal(done.auths["other.test"].auth, "b3RoZXI6MQ==");
    });

    test("explains what is missing", async () => {
      const inputs = { api, identity: workload.identity, registry: REGISTRY };
      const forbidden = await act(inputs, {});
      assert.equal(forbidden.code, 1);
      assert.match(forbidden.stdout, /^::error title=Wharf::.*id-token: write/m);
      const rejected = await act({ ...inputs, audience: "other.test" }, permission());
      assert.equal(rejected.code, 1);
      assert.match(rejected.stdout, /^::error title=Wharf::exchange rejected: .*invalid "aud"/m);
      const unknown = await act({ ...inputs, identity: "ci" }, permission());
      assert.match(unknown.stdout, /identity must be the UID/);
      const registry = await act({ ...inputs, registry: "other.test" }, permission());
      assert.equal(registry.code, 1);
      assert.match(registry.stdout, /exchange rejected: .*not an audience/);
    });

    test("takes nothing but https, and no answer for a command or a second output", async (t) => {
      const inputs = { api, identity: workload.identity };
      const plain = await act({ ...inputs, api: workload.server.url }, permission());
      assert.equal(plain.code, 1);
      assert.match(plain.stdout, /^::error title=Wharf::api must be an https URL/);
      t.after(() => {
        instead = undefined;
      });
      const injected = "x\nPATH=/tmp\r\n::set-env name=PATH::/tmp";
      for (const answer of [{ token: injected }, { token: "" }, { message: `100% ${injected}` }]) {
        instead = JSON.stringify(answer);
        const done = await act(inputs, permission());
        assert.equal(done.code, 1);
        assert.equal(done.output, "");
        assert.equal(done.env, "");
        const lines: string[] = done.stdout.trimEnd().split("\n");
        assert.match(lines.at(-1) ?? "", /^::error title=Wharf::/);
        const commands = lines.filter((line) => !/^::(add-mask|error title=Wharf)::\S/.test(line));
        assert.deepEqual(commands, [], "no line of the answer stands alone");
      }
      const many = { ...inputs, registry: "registry.test\n::error::" };
      assert.match((await act(many, permission())).stdout, /registry must be a host/);
    });
  });

  describe("the GitLab component", () => {
    async function build(given: Readonly<Record<string, string>>, token: string) {
      const text = readFileSync(join(DEPLOY, "gitlab/templates/wharf.yml"), "utf8");
      const [head, body] = parseAllDocuments(text).map((one) => one.toJS());
      const { inputs } = head.spec;
      const filled = (value: string) =>
        value.replace(
          /\$\[\[ inputs\.(\w+) \]\]/g,
          (_, name) => given[name] ?? inputs[name].default,
        );
      const [[name, hidden]] = Object.entries(body) as [[string, Hidden]];
      assert.equal(filled(name), ".wharf");
      assert.equal(filled(hidden.id_tokens.WHARF_ID_TOKEN.aud), "127.0.0.1");
      const variables = Object.entries(hidden.variables).map(([key, value]) => [
        key,
        filled(value),
      ]);
      const script = [...hidden.before_script, 'echo "WHARF_TOKEN=$WHARF_TOKEN"'].join("\n");
      return job(script, { ...Object.fromEntries(variables), WHARF_ID_TOKEN: token }, "sh");
    }

    interface Hidden {
      readonly id_tokens: { readonly WHARF_ID_TOKEN: { readonly aud: string } };
      readonly variables: Readonly<Record<string, string>>;
      readonly before_script: readonly string[];
    }

    const inputs = () => ({
      api: workload.server.url,
      identity: workload.identity,
      audience: "127.0.0.1",
      registry: REGISTRY,
    });

    test("signs the job and Docker in, and keeps other logins", async () => {
      const done = await build(inputs(), await workload.issuer.sign({ sub: SUBJECT }));
      assert.equal(done.code, 0, done.stdout + done.stderr);
      const [, token = ""] = /^WHARF_TOKEN=(\S+)$/m.exec(done.stdout) ?? [];
      assert.equal(decodeJwt(token).aud, workload.server.url);
      await workload.pulls(done.username, done.password);
      assert.equal(done.auths["other.test"].auth, "b3RoZXI6MQ==");
    });

    test("fails the job when the exchange is rejected", async () => {
      const done = await build(inputs(), await workload.issuer.sign({ sub: "another" }));
      assert.equal(done.code, 1);
      assert.match(done.stderr, /exchange rejected: .*invalid "sub"/);
      assert.doesNotMatch(done.stdout, /WHARF_TOKEN=/);
      assert.match((await build(inputs(), "")).stderr, /has no WHARF_ID_TOKEN/);
    });
  });
});
