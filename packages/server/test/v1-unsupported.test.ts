import assert from "node:assert/strict";
import { test } from "node:test";
import type { ServiceError } from "@grpc/grpc-js";
import { ApiError } from "./support/client/api-error.ts";
import { apiErrorOf, sendBytes } from "./support/client/grpc.ts";
import { Http } from "./support/client/http.ts";
import { onStore } from "./support/world/world.ts";

const UID = `${"0".repeat(40)}/${"1".repeat(16)}`;

/** Paths of the public contract, by what they belong to. */
const PATHS: readonly (readonly [name: string, request: string])[] = [
  ["iam.Groups/RequestGroupAccess", `POST /iam/v1/groups/${UID}:requestGroupAccess`],
  ["iam.v2beta1.GroupsService/RequestGroupAccess", `POST /iam/v2/groups/${UID}:requestGroupAccess`],
  ["events.Identities", "PATCH /iam/v1/identities/metadata"],
  ["registry.Registry/ListBuildReports", "GET /registry/v1/buildreports"],
  ["registry.Registry/GetBuildStatus", "GET /registry/v1/buildstatus"],
  ["registry.Entitlements/AddEntitlementImages", `POST /registry/v1/entitlements/${UID}:addImages`],
  ["registry.Entitlements/CreateEntitlement", `POST /registry/v1/entitlements/${UID}`],
  ["registry.Charts", `POST /registry/v1/repos/${UID}:addChart`],
  ["registry.Charts", "GET /registry/v1/charts:find"],
  ["registry.Policies", `POST /registry/v1/repos/${UID}:checkPolicies`],
  ["registry.Apko", `POST /apko/v1/resolve/${UID}`],
  ["registry.v2beta1.OverlaysService", "GET /registry/v2beta1/overlays"],
  ["registry.v2beta1.OverlayBindingsService", `DELETE /registry/v2/overlayBindings/${UID}`],
  ["skills", "GET /skills/v1alpha1/anything"],
  ["libraries", `POST /libraries/v1/entitlements/${UID}`],
  ["libraries", "GET /libraries/v2beta1/artifacts"],
  ["libraries", `POST /libraries/v2/requestGroups/${UID}`],
  ["matcher.ImageMatcher", "GET /image-recommendation/v1/match"],
];

const CALLS = [
  ["iam.Groups/RequestGroupAccess", "iam.Groups/RequestGroupAccess"],
  ["iam.v2.GroupsService/RequestGroupAccess", "iam.v2.GroupsService/RequestGroupAccess"],
  ["events.Identities", "events.Identities/Create"],
  ["registry.Registry/GetBuildStatus", "registry.Registry/GetBuildStatus"],
  ["registry.Entitlements/SwapEntitlementImages", "registry.Entitlements/SwapEntitlementImages"],
  ["libraries.v2.ArtifactsService", "libraries.v2.ArtifactsService/ListArtifacts"],
  ["matcher.ImageMatcher", "matcher.ImageMatcher/MatchImage"],
  ["policies.v1.Policies", "policies.v1.Policies/List"],
] as const;

onStore("sqlite", "unsupported methods", (world) => {
  const rest = () => new Http(world.server.url, world.operator().token);

  const failure = (path: string): Promise<ServiceError> => {
    const call = sendBytes(world.server.url, world.operator().token, path, Buffer.alloc(0));
    return call.then(
      () => assert.fail(`${path} is served`),
      (error: ServiceError) => error,
    );
  };

  test("get a structured UNIMPLEMENTED over REST, without authentication", async () => {
    for (const [name, request] of PATHS) {
      const [method = "", path = ""] = request.split(" ");
      const body = method === "POST" || method === "PUT" || method === "PATCH" ? {} : undefined;
      for (const by of [rest(), new Http(world.server.url, "")]) {
        const answer = await by.send(method, path, body);
        assert.equal(answer.status, 501, request);
        assert.deepEqual(answer.body, {
          code: 12,
          message: `Unimplemented: chainguard.platform.${name} is not supported by this server`,
          details: [
            {
              "@type": "type.googleapis.com/google.rpc.ErrorInfo",
              reason: "UNIMPLEMENTED",
              domain: "iam.wharf.internal",
            },
          ],
        });
      }
    }
  });

  test("get UNIMPLEMENTED over gRPC", async () => {
    for (const [name, path] of CALLS) {
      const full = `/chainguard.platform.${path}`;
      const refusal = apiErrorOf(await failure(full));
      assert.ok(refusal instanceof ApiError);
      assert.equal(refusal.code, 12);
      assert.ok(refusal.message.includes(`chainguard.platform.${name} `), refusal.message);
    }
  });

  test("differ from unknown methods", async () => {
    for (const path of [
      "/iam/v1/nonsense",
      "/registry/v1/nonsense",
      "/nonsense/v1/x",
      "/iam/v3/terms",
    ]) {
      const answer = await rest().get(path);
      assert.deepEqual([answer.status, answer.body.code], [404, 5], path);
    }
    for (const path of [
      "iam.Nonsense/List",
      "registry.Registry/Nonsense",
      "iam.v3.TermsService/X",
    ]) {
      const full = `/chainguard.platform.${path}`;
      const error = await failure(full);
      assert.deepEqual(
        [error.code, error.details],
        [12, "Unimplemented: the method is not implemented"],
      );
    }
  });

  test("shadow no implemented method", async () => {
    const org = await world.organization();
    const repo = await rest().post(`/registry/v1/repos/${org}`, { name: "deployment" });
    assert.equal(repo.status, 200);
    const path = `/registry/v1/repos/${repo.body.id}`;
    assert.equal((await rest().send("PUT", path, { name: "chart" })).status, 200);
    assert.equal((await rest().delete(path)).status, 200);
    assert.equal((await rest().get("/iam/v1/groups")).status, 200);
  });
});
