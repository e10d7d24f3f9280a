/** wharf-credential-provider, run as the kubelet runs it. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { decodeJwt } from "jose";
import { Home } from "./support/auth-home.ts";
import { REGISTRY, RegistryWorkload, SUBJECT } from "./support/registry-workload.ts";

const API_VERSION = "credentialprovider.kubelet.k8s.io/v1";

describe("the kubelet's credential provider", () => {
  let workload: RegistryWorkload;
  before(async () => {
    workload = await RegistryWorkload.start();
  });
  after(() => workload.stop());

  const request = (fields: object) => ({
    apiVersion: API_VERSION,
    kind: "CredentialProviderRequest",
    image: `${REGISTRY}/acme/app@sha256:${"0".repeat(64)}`,
    ...fields,
  });
  const provide = (sent: object | string, args: readonly string[] = []) => {
    const input = typeof sent === "string" ? sent : JSON.stringify(sent);
    return workload.home.startProcess(args, { input }, "wharf-credential-provider").ended;
  };
  const annotated = () => ({ serviceAccountAnnotations: { "wharf/identity": workload.identity } });

  test("exchanges the token of the service account for one of the registry", async () => {
    const serviceAccountToken = await workload.issuer.sign({ sub: SUBJECT });
    const { code, stdout, stderr } = await provide(
      request({ serviceAccountToken, ...annotated() }),
    );
    assert.equal(code, 0, stderr);
    const { auth, cacheDuration, ...response } = JSON.parse(stdout);
    assert.deepEqual(response, {
      apiVersion: API_VERSION,
      kind: "CredentialProviderResponse",
      cacheKeyType: "Registry",
    });
    assert.deepEqual(Object.keys(auth), [REGISTRY]);
    const { username, password } = auth[REGISTRY];
    assert.equal(decodeJwt(password).sub, workload.identity);
    assert.equal(decodeJwt(password).aud, REGISTRY);
    const left = (decodeJwt(password).exp ?? 0) - Date.now() / 1000;
    assert.match(cacheDuration, /^\d+s$/);
    assert.ok(Number.parseInt(cacheDuration, 10) < left, "it is used no longer than it is valid");
    await workload.pulls(username, password);
  });

  test("takes the identity of the kubelet's configuration where there is no annotation", async () => {
    const serviceAccountToken = await workload.issuer.sign({ sub: SUBJECT });
    const args = ["--api", workload.server.url, "--identity", workload.identity];
    const { code, stdout, stderr } = await provide(request({ serviceAccountToken }), args);
    assert.equal(code, 0, stderr);
    assert.ok(JSON.parse(stdout).auth[REGISTRY]);
    const nobody = await provide(request({ serviceAccountToken }));
    assert.equal(nobody.code, 2);
    assert.match(nobody.stderr, /no identity/);
    assert.equal(nobody.stdout, "");
  });

  test("uses the context whose server has the registry, unless a server is named", async (t) => {
    const home = new Home();
    t.after(() => home.remove());
    home.write("config/wharf/config.yaml", "platform:\n  api: http://127.0.0.1:9\n");
    const context = `platform:\n  api: ${workload.server.url}\n  registry: ${REGISTRY}\n`;
    home.write("config/wharf/contexts/prod.yaml", context);
    const serviceAccountToken = await workload.issuer.sign({ sub: SUBJECT });
    const input = JSON.stringify(request({ serviceAccountToken, ...annotated() }));
    const words = ["auth", "kubelet-credential"];
    const answer = JSON.parse(await home.ok(words, { input }));
    assert.ok(answer.auth[REGISTRY]);
    const named = ["--api", "http://127.0.0.1:1"];
    assert.equal((await home.run([...words, ...named], { input })).code, 7);
    const env = { WHARF_API: "http://127.0.0.1:9" };
    assert.equal((await home.run(words, { input, env })).code, 7);
    const chosen = [...words, "--context", "default"];
    assert.equal((await home.run(chosen, { input })).code, 7);
  });

  test("answers without credentials where the kubelet sends no token", async () => {
    const { code, stdout } = await provide(request({}));
    assert.equal(code, 0);
    const { auth, cacheDuration } = JSON.parse(stdout);
    assert.deepEqual([auth, cacheDuration], [{}, "0s"]);
  });

  test("fails for other service accounts, registries and requests, and prints no token", async () => {
    const other = await workload.issuer.sign({ sub: "system:serviceaccount:prod:default" });
    const own = await workload.issuer.sign({ sub: SUBJECT });
    for (const [sent, code, message] of [
      [request({ serviceAccountToken: other, ...annotated() }), 4, /invalid "sub"/],
      [
        request({ serviceAccountToken: own, ...annotated(), image: "other.test/app" }),
        2,
        /not an audience/,
      ],
      [request({ serviceAccountToken: own, ...annotated(), image: "nginx" }), 2, /docker\.io/],
      [{ ...request({}), apiVersion: "v1beta1" }, 2, /is not a CredentialProviderRequest/],
      [request({ image: "" }), 2, /image: is missing/],
      [`{"serviceAccountToken":"${own}"`, 2, /not a JSON object/],
    ] as const) {
      const answer = await provide(sent);
      assert.equal(answer.code, code, answer.stderr);
      assert.match(answer.stderr, message);
      assert.ok(!`${answer.stdout}${answer.stderr}`.includes(own));
    }
  });
});
