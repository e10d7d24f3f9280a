/**
 * The `console` blocks of docs/guides, run against real servers. Clouds and clusters are stood in for by programs and
 * files with the same output.
 */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { StandInIssuer } from "../../server/test/support/providers/issuer.ts";
import { signerOf } from "../../server/test/support/server/direct-store.ts";
import { scratchFolder } from "../../server/test/support/server/scratch-folder.ts";
import { until } from "../../server/test/support/until.ts";
import { TrackedRegistry } from "../../server/test/support/world/tracked-registry.ts";
import { ADVISORIES, alpineLayer } from "./support/exposed-images.ts";
import { withImage } from "./support/image-source.ts";
import { Site } from "./support/site.ts";
import { type Step, stepsOf, walkThrough } from "./support/walkthrough.ts";

const GUIDES = join(import.meta.dirname, "../../../docs/guides");

function stepsOfGuide(name: string): Step[] {
  const steps = stepsOf(readFileSync(join(GUIDES, name), "utf8"));
  assert.ok(steps.length >= 4, `${name} has ${steps.length} steps`);
  return steps;
}

/** A server with the organization that all guides use, as its operator. */
async function acme(t: TestContext): Promise<Site> {
  const site = await Site.start();
  t.after(() => site.stop());
  await site.make("organizations", "acme");
  return site;
}

async function issuerFor(t: TestContext): Promise<StandInIssuer> {
  const issuer = await StandInIssuer.start();
  t.after(() => issuer.stop());
  return issuer;
}

test("GitHub Actions", async (t) => {
  const { server, env } = await acme(t);
  await walkThrough(stepsOfGuide("github-actions.md"), server, env);
});

test("GitLab CI", async (t) => {
  const { server, env } = await acme(t);
  const issuer = await issuerFor(t);
  const job = (ref: string) =>
    issuer.sign({
      iss: "https://gitlab.example.com",
      sub: `project_path:acme/app:ref_type:branch:ref:${ref}`,
    });
  const files = {
    "jwks.json": JSON.stringify(issuer.jwks),
    "main.jwt": await job("main"),
    "feature.jwt": await job("feature"),
  };
  await walkThrough(stepsOfGuide("gitlab-ci.md"), server, env, { files });
});

test("Kubernetes", async (t) => {
  const { server, env } = await acme(t);
  const issuer = await issuerFor(t);
  const iss = "https://kubernetes.default.svc.cluster.local";
  const pod = (account: string, audience: string) =>
    issuer.sign({ iss, sub: `system:serviceaccount:prod:${account}`, aud: [audience] });
  const kubectl = `case "$*" in
    "get --raw /openid/v1/jwks") echo '${JSON.stringify(issuer.jwks)}' ;;
    "-n prod create token app --audience 127.0.0.1") echo ${await pod("app", "127.0.0.1")} ;;
    "-n prod create token default") echo ${await pod("default", iss)} ;;
    *) echo "unexpected: kubectl $*" >&2; exit 1 ;;
  esac`;
  const hosts = { "127.0.0.1:8080": new URL(server.url).host };
  await walkThrough(stepsOfGuide("kubernetes.md"), server, env, { programs: { kubectl }, hosts });
});

test("connect an identity provider", async (t) => {
  const { server, env } = await acme(t);
  await walkThrough(stepsOfGuide("identity-provider.md"), server, env);
});

test("push and pull images", async (t) => {
  const { server, env } = await acme(t);
  await walkThrough(stepsOfGuide("images.md"), server, env, withImage(server));
});

test("which images are affected", async (t) => {
  const site = await acme(t);
  const { server, env } = site;
  await site.ok("iam", "organizations", "update", "acme", "--verified", "yes");
  const files = join(scratchFolder("wharf-advisories-"), "advisories.json");
  for (const advisory of ADVISORIES) {
    writeFileSync(files, JSON.stringify(advisory));
    await site.ok("advisories", "import", files, "--parent", "acme");
  }
  await until(async () => (await site.ok("exposure", "overview")).includes("Matched until"));
  const claims = ["--issuer", "https://issuer.example.com", "--subject", "reviewer"];
  const reviewer = ["reviewer", "--parent", "acme", ...claims, "--role", "owner", "-o", "id"];
  const uid = (await site.ok("iam", "identities", "create", ...reviewer)).trim();
  const REVIEWER_TOKEN = await (await signerOf(server)).token(uid);
  const surroundings = withImage(server, alpineLayer("3.3.0-r0"));
  await walkThrough(stepsOfGuide("exposure.md"), server, { ...env, REVIEWER_TOKEN }, surroundings);
});

test("put Wharf in front of a registry", async (t) => {
  const tracked = await TrackedRegistry.start({ flags: ["--reconcile-minutes", "0"] });
  t.after(() => tracked.stop());
  const { server } = tracked.world;
  const { source, digest } = tracked.image();
  await tracked.push(
    await tracked.world.registry.holder("pusher", "registry.push"),
    source,
    "acme/app:1",
  );
  await tracked.tagged("app", "1", digest);
  const env = { WHARF_TOKEN: await server.token() };
  const hosts = { "127.0.0.1:5000": tracked.registry.host };
  await walkThrough(stepsOfGuide("registry.md"), server, env, { hosts });
});

test("upgrade and back up", async (t) => {
  const { server, env } = await acme(t);
  await walkThrough(stepsOfGuide("upgrade-and-backup.md"), server, env);
});

test("who can do what, and why", async (t) => {
  const { server, env } = await acme(t);
  await walkThrough(stepsOfGuide("access.md"), server, env);
});
