import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import {
  accessOf,
  GetGroupRequestSchema,
  GroupSchema,
  GroupsService,
  httpRulesOf,
  PingResponseSchema,
  SERVICES,
  serviceNames,
} from "@wharf/contract";
import { SERVICES_V1 } from "@wharf/contract/v1";
import { decodeJwt, decodeProtectedHeader } from "jose";
import manifest from "../package.json" with { type: "json" };
import { sendBytes } from "./support/client/grpc.ts";
import { Http } from "./support/client/http.ts";
import { onEachStore, onStore } from "./support/world/world.ts";

/** A path without the names of its variables. */
function shapeOf(path: string): string {
  return path.replace(/\{[^}]*\}/g, "{}");
}

onEachStore("the API surface", (world) => {
  const rest = (token = world.operator().token) => new Http(world.server.url, token);
  const plain = (path: string) => fetch(`${world.server.url}${path}`);
  const json = async (path: string) => (await plain(path)).json() as Promise<Json>;
  const grpc = (path: string, bytes = Buffer.alloc(0), token = world.operator().token) =>
    sendBytes(world.server.url, token, path, bytes);
  const codeOf = (path: string, token?: string) =>
    grpc(path, Buffer.alloc(0), token).then(
      () => 0,
      (error: { code: number }) => error.code,
    );

  /** Tests that do not depend on the store: every other one on SQLite, the rest on PostgreSQL. */
  const isTurn = (at: number) => (world.store === "sqlite") === (at % 2 === 0);

  test("a malformed scope is INVALID_ARGUMENT for every caller", async () => {
    const stranger = rest((await world.member()).token);
    const scoped = [...SERVICES, ...SERVICES_V1]
      .flatMap(({ methods }) => methods)
      .filter((method) => accessOf(method)?.kind === "scoped");
    for (const [at, method] of scoped.entries()) {
      const [rule] = httpRulesOf(method);
      assert.ok(rule, method.name);
      const path = rule.path.replace(/\{[^}]*\}/g, "nonsense");
      const body = rule.verb === "GET" || rule.verb === "DELETE" ? undefined : {};
      const answer = await (isTurn(at) ? stranger : rest()).send(rule.verb, path, body);
      if (answer.status === 501) continue;
      const name = `${method.parent.typeName}/${method.name}: ${JSON.stringify(answer.body)}`;
      assert.deepEqual([answer.status, answer.body.code], [400, 3], name);
    }
  });

  test("a scope of many levels is denied as any other", async () => {
    const deep = "0".repeat(40) + "/0123456789abcdef".repeat(10_000);
    const stranger = world.operator("gRPC").as((await world.member()).token);
    await assert.rejects(stranger.groups.update(deep, { name: "x" }), { code: 7 });
  });

  describe("methods that are in the contract but not implemented", () => {
    let served: Set<string>;
    before(async () => {
      const { paths } = await json("/openapi.json");
      served = new Set(
        Object.entries(paths).flatMap(([path, verbs]) =>
          Object.keys(verbs as object).map((verb) => `${verb} ${shapeOf(path)}`),
        ),
      );
    });

    for (const { methods, typeName } of [...SERVICES, ...SERVICES_V1]) {
      test(`${typeName} is consistent over REST, over gRPC and in the OpenAPI document`, async () => {
        for (const [at, method] of methods.entries()) {
          if (methods.length > 1 && !isTurn(at)) continue;
          const [rule] = httpRulesOf(method);
          assert.ok(rule, method.name);
          const isServed = served.has(`${rule.verb.toLowerCase()} ${shapeOf(rule.path)}`);
          // A stream that is served does not end.
          if (method.methodKind === "server_streaming" && isServed) continue;
          const path = rule.path.replace(/\{[^}]*\}/g, "0".repeat(40));
          const body = rule.verb === "GET" || rule.verb === "DELETE" ? undefined : {};
          const answer = await rest().send(rule.verb, path, body);
          const code = await codeOf(`/${typeName}/${method.name}`);
          const name = `${typeName}/${method.name}`;
          assert.equal(code !== 12, isServed, `${name}: ${code}`);
          assert.equal(answer.status !== 501, isServed, `${name}: ${answer.status}`);
          if (isServed) continue;
          assert.deepEqual(answer.body, {
            code: 12,
            message: `Unimplemented: ${name} is not implemented`,
            details: [
              {
                "@type": "type.googleapis.com/google.rpc.ErrorInfo",
                reason: "UNIMPLEMENTED",
                domain: "iam.wharf.internal",
              },
            ],
          });
        }
      });
    }

    test("groups, identities, roles, role bindings, account associations, the registry and ping are fully implemented", () => {
      const needed = SERVICES.filter(({ name }) =>
        /^(Groups|Identities|Roles|RoleBindings|AccountAssociations|Repos|Tags|Images|Ping)Service$/.test(
          name,
        ),
      );
      assert.equal(needed.length, 9);
      for (const method of needed.flatMap((service) => service.methods)) {
        const [rule] = httpRulesOf(method);
        assert.ok(rule, method.name);
        assert.ok(served.has(`${rule.verb.toLowerCase()} ${shapeOf(rule.path)}`), method.name);
      }
    });
  });

  for (const service of SERVICES_V1) {
    test(`${service.typeName} requires authentication under each of its names`, async () => {
      const names = serviceNames(service);
      assert.ok(names.some((name) => name.startsWith("chainguard.platform.")));
      for (const method of service.methods) {
        const open = accessOf(method)?.kind === "anyone";
        for (const [at, name] of names.entries()) {
          if (!isTurn(at)) continue;
          const path = `/${name}/${method.name}`;
          // With a token, a stream that is served does not end.
          const code = method.methodKind === "unary" ? await codeOf(path) : 0;
          assert.equal(await codeOf(path, ""), code === 12 || open ? code : 16, path);
        }
      }
    });
  }

  test("ping needs no authentication", async () => {
    for (const path of ["/ping/v2beta1/ping", "/ping/v2/ping", "/ping/v1/ping"]) {
      assert.deepEqual(await json(path), { response: "pong" });
    }
    for (const service of ["wharf.ping.v2beta1", "chainguard.platform.ping.v2"]) {
      const answer = await grpc(`/${service}.PingService/Ping`, Buffer.alloc(0), "");
      assert.equal(fromBinary(PingResponseSchema, answer).response, "pong");
    }
  });

  test("v2 paths behave as the v2beta paths", async () => {
    const org = await world.organization();
    const list = await rest().get(`/iam/v2/groups?uidp.ids=${org}`);
    assert.deepEqual(list.body, (await rest().get(`/iam/v2beta1/groups?uidp.ids=${org}`)).body);
    const created = await rest().post(`/iam/v2/groups/${org}`, { name: "by v2" });
    assert.equal(created.status, 200);
    const path = `groups/${created.body.uid}`;
    const patched = await rest().patch(`/iam/v2/${path}?updateMask=name`, { name: "again" });
    assert.equal(patched.body.name, "again");
    assert.deepEqual((await rest().get(`/iam/v2beta1/${path}`)).body, patched.body);
    assert.deepEqual((await rest().delete(`/iam/v2/${path}`)).body, {});
    const lookup = "identities:lookupIdentity?issuer=https://a.b&subject=s";
    assert.equal((await rest().get(`/iam/v2/${lookup}`)).status, 200);
    assert.equal((await rest().post("/iam/v2/roleBindings:batchCreate", {})).status, 400);
  });

  test("services answer under all of their package names", async () => {
    const uid = await world.organization();
    const request = Buffer.from(
      toBinary(GetGroupRequestSchema, create(GetGroupRequestSchema, { uid })),
    );
    const names = serviceNames(GroupsService);
    assert.deepEqual(names.toSorted(), [
      "chainguard.platform.iam.v2.GroupsService",
      "chainguard.platform.iam.v2beta1.GroupsService",
      "wharf.iam.v2.GroupsService",
      "wharf.iam.v2beta1.GroupsService",
    ]);
    for (const name of names) {
      const group = fromBinary(GroupSchema, await grpc(`/${name}/GetGroup`, request));
      assert.equal(group.uid, uid);
    }
    assert.equal(await codeOf("/chainguard.platform.iam.v3.GroupsService/GetGroup"), 12);
  });

  test("the server has health, readiness and metrics endpoints", async () => {
    assert.equal(await (await plain("/healthz")).text(), "ok\n");
    assert.equal(await (await plain("/readyz")).text(), "ok\n");
    await rest().get("/iam/v2beta1/groups");
    const metrics = await plain("/metrics");
    assert.match(metrics.headers.get("content-type") ?? "", /^text\/plain/);
    const text = await metrics.text();
    const counted =
      /wharf_requests_total\{protocol="rest",method="wharf.iam.v2beta1.GroupsService\/ListGroups",code="0"\} (\d+)/;
    assert.ok(Number(counted.exec(text)?.[1]) >= 1);
    assert.match(text, /^wharf_store_writes_total \d+$/m);
    const { version } = await json("/version");
    assert.equal(version, manifest.version);
    assert.match(text, new RegExp(`^wharf_build_info\\{version="${version}",.*\\} 1$`, "m"));
    assert.match(text, /^wharf_token_cache_hits_total \d+$/m);
  });

  test("the OpenAPI document has the routes of the specification", async () => {
    const { openapi, paths } = await json("/openapi.json");
    assert.match(openapi, /^3\./);
    const routes = Object.entries(paths as Record<string, object>).flatMap(([path, verbs]) =>
      Object.keys(verbs).map((verb) => `${verb} ${path}`),
    );
    for (const route of [
      "get /iam/v2beta1/groups",
      "post /iam/v2beta1/groups",
      "get /iam/v2beta1/groups/{uid}",
      "post /iam/v2beta1/groups/{uid}",
      "patch /iam/v2beta1/groups/{uid}",
      "delete /iam/v2beta1/groups/{uid}",
      "post /iam/v2beta1/identities/{uid}",
      "delete /iam/v2beta1/identities/{uid}",
      "get /iam/v2beta1/roles",
      "post /iam/v2beta1/roleBindings/{uid}",
      "delete /iam/v2beta1/roleBindings/{uid}",
    ]) {
      assert.ok(routes.includes(route), route);
    }
  });

  test("the discovery document names the JWKS of our signing keys", async () => {
    const { url } = world.server;
    const discovery = await json("/.well-known/openid-configuration");
    assert.equal(discovery.issuer, url);
    assert.equal(discovery.jwks_uri, `${url}/.well-known/jwks.json`);
    assert.deepEqual(discovery.id_token_signing_alg_values_supported, ["ES256"]);
    const { keys } = (await (await fetch(discovery.jwks_uri)).json()) as Json;
    const key = keys.find((one: Json) => one.kid === kidOf(world.operator().token));
    const { kty, crv, alg, use } = key;
    assert.deepEqual({ kty, crv, alg, use }, { kty: "EC", crv: "P-256", alg: "ES256", use: "sig" });
    assert.deepEqual(Object.keys(key).sort(), ["alg", "crv", "kid", "kty", "use", "x", "y"]);
  });

  test("a new signing key is used immediately, and tokens of the old key stay valid", async () => {
    const old = world.operator().token;
    const published = async (): Promise<string[]> =>
      (await json("/.well-known/jwks.json")).keys.map((key: Json) => key.kid);
    // The calls of every method have rotated the keys before.
    const before = await published();
    assert.ok(before.includes(String(kidOf(old))));
    const kid = (await world.server.admin("keys", "rotate")).trim();
    assert.notEqual(kid, kidOf(old));
    assert.deepEqual(
      new Set(await published()),
      new Set([kid, ...before]),
      "all are published before anyone has called",
    );
    const fresh = await world.server.token();
    assert.equal(kidOf(fresh), kid);
    for (const token of [old, fresh]) {
      assert.equal((await rest(token).get("/iam/v2beta1/groups")).status, 200);
    }
    assert.deepEqual(new Set(await published()), new Set([kid, ...before]));
  });
});

const ADDRESSES = ["--base-url", "https://api.example/", "--auth-url", "https://auth.example"];

onStore(
  "sqlite",
  "an installation with addresses and an error domain of its own",
  (world) => {
    test("publishes, signs and accepts them", async () => {
      const { url } = world.server;
      const document = await fetch(`${url}/.well-known/openid-configuration`);
      const { issuer, jwks_uri } = (await document.json()) as Json;
      assert.equal(issuer, "https://auth.example");
      assert.equal(jwks_uri, "https://auth.example/.well-known/jwks.json");
      const token = await world.server.token();
      const { iss, aud } = decodeJwt(token);
      assert.deepEqual([iss, aud], ["https://auth.example", "https://api.example"]);
      assert.equal((await new Http(url, token).get("/iam/v2beta1/groups")).status, 200);
    });

    test("names its domain in errors", async () => {
      const { body } = await new Http(world.server.url, "").get("/iam/v2beta1/groups");
      assert.equal(body.details[0].domain, "iam.example");
    });
  },
  { flags: [...ADDRESSES, "--error-domain", "iam.example"] },
);

// biome-ignore lint/suspicious/noExplicitAny: documents of every shape are looked into.
type Json = any;

function kidOf(token: string): string | undefined {
  return decodeProtectedHeader(token).kid;
}
