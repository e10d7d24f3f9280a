import assert from "node:assert/strict";
import { test } from "node:test";
import { parse } from "yaml";
import { snippetsOf } from "./snippets.ts";

const TARGET = {
  api: "https://wharf.example",
  registry: "registry.example",
  audience: "auth.example",
  identity: "c5dd09ce",
  serviceAccount: ["system", "serviceaccount", "team", "web"],
};

const textsOf = (platform: Parameters<typeof snippetsOf>[0]) =>
  snippetsOf(platform, TARGET).map(({ text }) => text);

test("the workflow of GitHub may request a token, and passes it on", () => {
  const [workflow = "", curl = ""] = textsOf("github");
  const { permissions, steps } = parse(workflow).jobs.publish;
  assert.equal(permissions["id-token"], "write");
  const { api, identity, registry } = TARGET;
  assert.deepEqual(steps[1].with, { api, identity, registry });
  assert.match(curl, /&audience=auth\.example"/);
});

test("the job of GitLab and the pod have the audience of the identity", () => {
  const { publish } = parse(textsOf("gitlab")[0] ?? "");
  assert.equal(publish.id_tokens.WHARF_ID_TOKEN.aud, TARGET.audience);
  assert.equal(publish.variables.WHARF_IDENTITY, TARGET.identity);
  const pod = parse(textsOf("kubernetes")[0] ?? "");
  assert.deepEqual(pod.metadata, { name: "web", namespace: "team" });
  assert.equal(pod.spec.serviceAccountName, "web");
  const [{ serviceAccountToken }] = pod.spec.volumes[0].projected.sources;
  assert.equal(serviceAccountToken.audience, TARGET.audience);
  const [mount] = pod.spec.containers[0].volumeMounts;
  assert.ok(textsOf("kubernetes")[2]?.includes(`${mount.mountPath}/${serviceAccountToken.path}`));
});

test("every platform has a snippet with the identity", () => {
  for (const platform of ["github", "gitlab", "kubernetes", "aws", "keys", "any"] as const) {
    assert.ok(
      textsOf(platform).some((text) => text.includes(TARGET.identity)),
      platform,
    );
  }
});
