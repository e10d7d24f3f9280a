/** The Connect protocol, called by its own clients. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { before, test } from "node:test";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { create, toBinary } from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import {
  Code,
  ConnectError,
  createClient,
  type Interceptor,
  type Transport,
} from "@connectrpc/connect";
import { createConnectTransport as nodeTransport } from "@connectrpc/connect-node";
import { createConnectTransport as webTransport } from "@connectrpc/connect-web";
import {
  Capability,
  GetGroupRequestSchema,
  GroupsService,
  RolesService,
  SERVICES,
} from "@wharf/contract";
import {
  BadRequestSchema,
  ErrorInfoSchema,
} from "@wharf/contract/gen/google/rpc/error_details_pb.js";
import { OPERATOR_UID } from "../src/auth/caller.ts";
import { onlyReadsByRoute } from "../src/rpc/dry-run.ts";
import { onEachStore } from "./support/world/world.ts";

const PATH = "/wharf.iam.v2beta1.GroupsService";
const PUBLIC_PATH = "/chainguard.platform.iam.v2beta1.GroupsService";
const ABSENT = "0".repeat(40);

const read = (answer: Response) => answer.json() as Promise<{ uid?: string; code?: string }>;

onEachStore("the Connect protocol", (world) => {
  let org: string;
  let token: string;
  before(async () => {
    token = await world.signer.token(OPERATOR_UID);
    org = await world.organization();
  });

  const headers = () => ({ authorization: `Bearer ${token}` });
  const authorize: Interceptor = (next) => (request) => {
    request.header.set("authorization", headers().authorization);
    return next(request);
  };
  const transports = (): Record<string, Transport> => {
    const options = { baseUrl: world.server.url, interceptors: [authorize] };
    return {
      "connect-web": webTransport(options),
      "connect-web, binary": webTransport({ ...options, useBinaryFormat: true }),
      "connect-web, GET": webTransport({ ...options, useHttpGet: true }),
      "connect-node, HTTP/1.1": nodeTransport({ ...options, httpVersion: "1.1" }),
      "connect-node, HTTP/2, JSON": nodeTransport({
        ...{ ...options, httpVersion: "2", useBinaryFormat: false },
      }),
    };
  };

  test("serves its clients in JSON and binary", async () => {
    for (const [name, transport] of Object.entries(transports())) {
      const groups = createClient(GroupsService, transport);
      const roles = createClient(RolesService, transport);
      const created = await groups.createGroup({
        parent: org,
        group: { name: world.name("made") },
      });
      assert.equal((await groups.getGroup({ uid: created.uid })).name, created.name, name);
      const listed = await groups.listGroups({ uidp: { childrenOf: org }, pageSize: 200 });
      assert.ok(
        listed.groups.some(({ uid }) => uid === created.uid),
        name,
      );
      assert.equal(listed.totalCount, BigInt(listed.groups.length), name);
      await groups.deleteGroup({ uid: created.uid });
      const { roles: found } = await roles.listRoles({ name: "viewer" });
      const capabilities = found[0]?.capabilities ?? [];
      assert.ok(capabilities.includes(Capability.CAP_IAM_GROUPS_LIST), `${name}: enum values`);
    }
  });

  test("answers errors with code and details", async () => {
    for (const [name, transport] of Object.entries(transports())) {
      const groups = createClient(GroupsService, transport);
      const missing = await groups.getGroup({ uid: ABSENT }).catch((error) => error);
      assert.ok(missing instanceof ConnectError, name);
      assert.equal(missing.code, Code.NotFound, name);
      const [info] = missing.findDetails(ErrorInfoSchema);
      assert.equal(info?.reason, "NOT_FOUND", name);
      const invalid = await groups.createGroup({ parent: org, group: {} }).catch((error) => error);
      assert.equal(invalid.code, Code.InvalidArgument, name);
      const [violations] = invalid.findDetails(BadRequestSchema);
      assert.equal(violations?.fieldViolations[0]?.field, "name", name);
    }
  });

  test("serves buf curl", async () => {
    const root = join(import.meta.dirname, "../../..");
    const { stdout } = await promisify(execFile)(join(root, "node_modules/.bin/buf"), [
      ...["curl", "--schema", root, "--protocol", "connect"],
      ...["-H", `authorization: Bearer ${token}`, "-d", JSON.stringify({ uid: org })],
      `${world.server.url}${PATH}/GetGroup`,
    ]);
    assert.equal(JSON.parse(stdout).uid, org);
  });

  const post = (method: string, body: string | Buffer, more: Record<string, string> = {}) =>
    fetch(`${world.server.url}${method}`, {
      method: "POST",
      headers: { ...headers(), "content-type": "application/json", ...more },
      body,
    });
  const get = (parameters: Record<string, string>, method = "GetGroup") =>
    fetch(`${world.server.url}${PATH}/${method}?${new URLSearchParams(parameters)}`, {
      headers: headers(),
    });

  test("methods are read with GET by clients that know their descriptors", () => {
    const methods = SERVICES.flatMap((service) => service.methods);
    for (const method of methods) {
      const isRead = method.methodKind === "unary" && onlyReadsByRoute(method);
      const declared = method.idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS;
      assert.equal(declared, isRead, `${method}`);
    }
  });

  test("reads with GET, in every encoding of the message", async () => {
    const request = create(GetGroupRequestSchema, { uid: org });
    const binary = Buffer.from(toBinary(GetGroupRequestSchema, request));
    const json = JSON.stringify({ uid: org });
    const zipped = gzipSync(json).toString("base64url");
    for (const parameters of [
      { connect: "v1", encoding: "json", message: json },
      { encoding: "json", message: Buffer.from(json).toString("base64url"), base64: "1" },
      { encoding: "json", message: zipped, base64: "1", compression: "gzip" },
    ]) {
      const answer = await get(parameters);
      assert.equal(answer.headers.get("content-type"), "application/json");
      assert.equal((await read(answer)).uid, org);
    }
    const message = binary.toString("base64url");
    const answer = await get({ connect: "v1", encoding: "proto", base64: "1", message });
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get("content-type"), "application/proto");
  });

  test("writes with POST alone", async () => {
    const message = JSON.stringify({ parent: org, group: { name: "by-get" } });
    const answer = await get({ encoding: "json", message }, "CreateGroup");
    assert.deepEqual([answer.status, answer.headers.get("allow")], [405, "POST"]);
    assert.equal((await read(answer)).code, "unimplemented");
    const { groups } = await world.operator().groups.list({ name: "by-get" });
    assert.deepEqual(groups, []);
  });

  test("rejects what is not a call", async () => {
    const uid = JSON.stringify({ uid: org });
    for (const [expected, answer] of [
      [[200, undefined], await post(`${PUBLIC_PATH}/GetGroup`, uid)],
      [[400, "invalid_argument"], await post(`${PATH}/GetGroup`, "{")],
      [
        [400, "invalid_argument"],
        await post(`${PATH}/GetGroup`, uid, { "connect-protocol-version": "2" }),
      ],
      [
        [400, "invalid_argument"],
        await post(`${PATH}/GetGroup`, uid, { "connect-timeout-ms": "soon" }),
      ],
      [
        [415, "invalid_argument"],
        await post(`${PATH}/GetGroup`, uid, { "content-type": "text/plain" }),
      ],
      [
        [413, "resource_exhausted"],
        await post(`${PATH}/CreateGroup`, gzipSync(Buffer.alloc(5_000_000, 32)), {
          "content-encoding": "gzip",
        }),
      ],
      [[401, "unauthenticated"], await post(`${PATH}/GetGroup`, uid, { authorization: "" })],
      [[400, "invalid_argument"], await get({ encoding: "xml", message: uid })],
      [[400, "invalid_argument"], await get({ encoding: "json" })],
      [[400, "invalid_argument"], await get({ connect: "v2", encoding: "json", message: uid })],
      [[400, "invalid_argument"], await get({ encoding: "json", message: uid, compression: "br" })],
      [[415, "unimplemented"], await post("/wharf.events.v2beta1.EventsService/WatchEvents", "{}")],
    ] as const)
      assert.deepEqual([answer.status, (await read(answer)).code], expected);
    const unknown = await post(`${PATH}/NoSuchMethod`, uid);
    assert.equal(unknown.status, 404);
  });

  test("denies as the other protocols do", async () => {
    const member = await world.member();
    const answer = await post(
      `${PATH}/CreateGroup`,
      JSON.stringify({ parent: org, group: { name: "x" } }),
      {
        authorization: `Bearer ${member.token}`,
      },
    );
    assert.deepEqual([answer.status, (await read(answer)).code], [403, "permission_denied"]);
  });
});
