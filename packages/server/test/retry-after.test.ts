import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { fromBinary } from "@bufbuild/protobuf";
import { anyUnpack } from "@bufbuild/protobuf/wkt";
import type { ServiceError } from "@grpc/grpc-js";
import { httpRulesOf, SERVICES } from "@wharf/contract";
import { RetryInfoSchema } from "@wharf/contract/gen/google/rpc/error_details_pb.js";
import { StatusSchema } from "@wharf/contract/gen/google/rpc/status_pb.js";
import { SERVICES_V1 } from "@wharf/contract/v1";
import { sendBytes } from "./support/client/grpc.ts";
import {
  FEED_FILES,
  FORM_PAGES,
  type Form,
  JSON_ENDPOINTS,
  PLAIN_GETS,
} from "./support/fuzz/endpoint-forms.ts";
import { ProxiedServer } from "./support/server/proxied-server.ts";

const METHODS = [...SERVICES, ...SERVICES_V1].flatMap(({ methods }) => methods);
const UID = "0".repeat(40);
const PROVIDER = `${UID}/${"0".repeat(16)}`;
const DEVICE = "urn:ietf:params:oauth:grant-type:device_code";

type Request = readonly [path: string, init?: RequestInit];

describe("while the store cannot be reached", () => {
  let server: ProxiedServer;
  let token: string;
  before(async () => {
    server = await ProxiedServer.start();
    token = await server.token();
    server.proxy.reset();
  });
  after(() => server.stop());

  /** The requests that were answered with 503. Each response that asks to retry says when. */
  async function unavailable(requests: readonly Request[]): Promise<string[]> {
    const found = requests.map(async ([path, init = {}]) => {
      const response = await fetch(`${server.url}${path}`, { redirect: "manual", ...init });
      await response.body?.cancel();
      const name = `${init.method ?? "GET"} ${path.replace(/\?.*/, "")}`;
      const { status } = response;
      assert.ok(status < 500 || status === 503, `${name}: ${status}`);
      if (status === 503 || status === 429)
        assert.match(response.headers.get("retry-after") ?? "", /^[1-9]\d*$/, name);
      return status === 503 ? [name] : [];
    });
    return (await Promise.all(found)).flat();
  }

  test("every method over REST says when to retry", async () => {
    const requests = METHODS.map((method): Request => {
      const [rule] = httpRulesOf(method);
      assert.ok(rule, method.name);
      const hasBody = rule.verb !== "GET" && rule.verb !== "DELETE";
      const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
      const path = rule.path.replace(/\{[^}]*\}/g, UID);
      return [path, { method: rule.verb, headers, ...(hasBody && { body: "{}" }) }];
    });
    const found = await unavailable(requests);
    // Others, such as Ping, need no store or are not implemented.
    assert.ok(found.length > 0.9 * METHODS.length, `${found.length} of ${METHODS.length}`);
  });

  test("every method over gRPC says when to retry", async () => {
    const codes = METHODS.map(async (method) => {
      const path = `/${method.parent.typeName}/${method.name}`;
      const error = await sendBytes(server.url, token, path, Buffer.alloc(0)).then(
        () => undefined,
        (thrown: ServiceError) => thrown,
      );
      if (error?.code !== 14) return [];
      assert.equal(error.metadata.get("retry-after")[0], "5", path);
      const [bytes] = error.metadata.get("grpc-status-details-bin") as Buffer[];
      const { details } = fromBinary(StatusSchema, bytes as Buffer);
      const retry = details.map((any) => anyUnpack(any, RetryInfoSchema)).find(Boolean);
      assert.equal(retry?.retryDelay?.seconds, 5n, path);
      return [path];
    });
    const found = (await Promise.all(codes)).flat();
    assert.ok(found.length > 0.9 * METHODS.length, `${found.length} of ${METHODS.length}`);
  });

  test("every other endpoint says when to retry", async () => {
    const bearer = { headers: { authorization: `Bearer ${token}` } };
    const basic = `Basic ${Buffer.from(`_token:${token}`).toString("base64")}`;
    const json = { "content-type": "application/json" };
    const form = (fields: Record<string, string>) => new URLSearchParams(fields);
    const firstOf = (fields: Form) =>
      Object.fromEntries(Object.entries(fields).map(([name, [value = ""]]) => [name, value]));
    const found = await unavailable([
      ...PLAIN_GETS.map((path): Request => [path]),
      ...FORM_PAGES.map(({ method, path, fields }): Request => {
        const body = form(firstOf(fields));
        return method === "GET" ? [`${path}?${body}`] : [path, { method, body }];
      }),
      ...JSON_ENDPOINTS.map(({ path, fields }): Request => {
        return [path, { method: "POST", body: JSON.stringify(firstOf(fields)), headers: json }];
      }),
      ...FEED_FILES.map((file): Request => [`/feeds/${UID}/${file}`, bearer]),
      ["/token?scope=repository:a/b:pull", { headers: { authorization: basic } }],
      ["/oauth/token", { method: "POST", body: form({ grant_type: DEVICE, device_code: "A.b" }) }],
      ["/oauth/device_authorization", { method: "POST", body: form({ client_id: "tool" }) }],
      [`/scim/v2/${PROVIDER}/Users`, bearer],
      [`/scim/v2/${PROVIDER}/Users`, { ...bearer, method: "POST", body: "{}" }],
      ["/registry/notifications", { ...bearer, method: "POST", body: "{}" }],
    ]);
    for (const endpoint of [
      "GET /",
      "GET /readyz",
      "GET /.well-known/jwks.json",
      "GET /registry/jwks.json",
      "GET /setup",
      "POST /setup",
      "POST /device",
      "POST /oauth/local",
      "POST /oauth/token",
      "POST /oauth/device_authorization",
      "POST /oauth/passkey/options",
      `GET /feeds/${UID}/osv/all.json`,
      "GET /token",
      `GET /scim/v2/${PROVIDER}/Users`,
      `POST /scim/v2/${PROVIDER}/Users`,
      "POST /registry/notifications",
    ])
      assert.ok(found.includes(endpoint), `${endpoint} is not among ${found.join(", ")}`);
  });
});
