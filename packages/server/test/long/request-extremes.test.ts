import assert from "node:assert/strict";
import { before, test } from "node:test";
import { create, type DescMethod, fromJson, type JsonObject, toBinary } from "@bufbuild/protobuf";
import { FieldMaskSchema } from "@bufbuild/protobuf/wkt";
import { httpRulesOf, SERVICES } from "@wharf/contract";
import { SERVICES_V1 } from "@wharf/contract/v1";
import type { Protocol } from "../support/client/api-client.ts";
import { sendBytes } from "../support/client/grpc.ts";
import { Http } from "../support/client/http.ts";
import { inParallel } from "../support/client/pagination.ts";
import { queryOf } from "../support/client/transcoding.ts";
import { ValidRequests } from "../support/fuzz/boundary-requests.ts";
import {
  extremesOf,
  jsonExtremesOf,
  leavesOf,
  type Path,
  put,
} from "../support/fuzz/boundary-values.ts";
import { onEachStore } from "../support/world/world.ts";

const [UNKNOWN, INTERNAL] = [2, 13];

/** Ends all sessions of the caller, who has none; what asks other servers, and what waits for something to happen. */
const LEFT_OUT = /Logout|Watch|CheckAccountAssociation|GroupAccountAssociations\/Check/;

const METHODS = [...SERVICES, ...SERVICES_V1]
  .flatMap(({ methods }) => methods)
  .filter(({ parent, name }) => !LEFT_OUT.test(`${parent.name}/${name}`));

const FIELDS = METHODS.flatMap((method) =>
  [...leavesOf(method.input)].map((path) => ({ method, path })),
);

onEachStore("every field of every request, at the extremes of its type", (world) => {
  // Protocol and store are independent: a field is tried over one protocol on SQLite, and over the other on PostgreSQL.
  const isTurned = world.store === "postgres";
  const fieldsOver = (protocol: Protocol) =>
    FIELDS.filter((_, at) => (at % 2 === 0) === ((protocol === "gRPC") !== isTurned));
  let ground: ValidRequests;
  before(async () => {
    ground = await ValidRequests.prepare(world);
  });

  test("is accepted or rejected over gRPC, never an internal error", async () => {
    const { token } = world.operator();
    const calls = fieldsOver("gRPC").flatMap(({ method, path }) =>
      extremesOf(path.at(-1) as Path[number]).map((value) => ({ method, path, value })),
    );
    assert.ok(calls.length > 2_000, "the contract has many fields");
    await inParallel(
      calls,
      async ({ method, path, value }) => {
        const request = fromJson(method.input, ground.requestOf(method));
        put(request, path, value);
        maskOnly(method, request, path);
        const bytes = Buffer.from(toBinary(method.input, request));
        const address = `/${method.parent.typeName}/${method.name}`;
        const code = await sendBytes(world.server.url, token, address, bytes).then(
          () => 0,
          (error: { code: number }) => error.code,
        );
        const what = `${address} ${nameOf(path)} = ${shown(value)}: ${code}`;
        assert.ok(code !== INTERNAL && code !== UNKNOWN, what);
      },
      8,
    );
  });

  test("is accepted or rejected over REST, never an internal error", async () => {
    const rest = new Http(world.server.url, world.operator().token);
    const calls = fieldsOver("REST").flatMap(({ method, path }) =>
      jsonExtremesOf(path.at(-1) as Path[number]).map((value) => ({ method, path, value })),
    );
    await inParallel(
      calls,
      async ({ method, path, value }) => {
        const request = structuredClone(ground.requestOf(method));
        putJson(request, path, value);
        const { verb, address, body } = httpOf(method, request);
        const { status } = await rest.send(verb, address, body);
        assert.ok(status < 500, `${verb} ${address} ${nameOf(path)} = ${shown(value)}: ${status}`);
      },
      8,
    );
  });
});

/** Restricts the mask of an update to the field under test. */
function maskOnly(method: DescMethod, request: object, [body, field]: Path): void {
  const mask = method.input.fields.find(({ message }) => message === FieldMaskSchema);
  if (mask === undefined || body?.message === FieldMaskSchema || field === undefined) return;
  const paths = [field.name];
  Object.assign(request, { [mask.localName]: create(FieldMaskSchema, { paths }) });
}

function putJson(holder: JsonObject, [field, ...rest]: Path, value: unknown): void {
  if (field === undefined) return;
  const before = holder[field.jsonName] as JsonObject | undefined;
  let inner = value as JsonObject;
  if (rest.length > 0) {
    inner = (field.fieldKind === "message" ? before : Object.values(before ?? {})[0]) as JsonObject;
    inner = typeof inner === "object" && inner !== null ? inner : {};
    putJson(inner, rest, value);
  }
  const set = { list: [inner], map: { 1: inner } }[field.fieldKind as string] ?? inner;
  // A field of a oneof takes the place of the others.
  for (const other of field.oneof?.fields ?? []) delete holder[other.jsonName];
  holder[field.jsonName] = set;
}

/** A request as REST has it, by the first route of the method. */
function httpOf(method: DescMethod, request: JsonObject) {
  const [rule] = httpRulesOf(method);
  assert.ok(rule, `${method} has a route`);
  const query: JsonObject = { ...request };
  const path = rule.path.replaceAll(/\{([\w.]+)(?:=\*\*?)?\}/g, (_, names: string) => {
    let holder: unknown = request;
    for (const name of names.split("."))
      holder = (holder as JsonObject | undefined)?.[jsonName(name)];
    delete query[jsonName(names.split(".")[0] as string)];
    return encodeURIComponent(String(holder ?? "")).replaceAll("%2F", "/");
  });
  if (rule.body === "*") return { verb: rule.verb, address: path, body: query };
  const key = jsonName(rule.body);
  const body = rule.body === "" ? undefined : (request[key] ?? {});
  delete query[key];
  const text = rule.body === "" ? queryOf(query) : "";
  return { verb: rule.verb, address: `${path}${text && "?"}${text}`, body };
}

function jsonName(name: string): string {
  return name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

function nameOf(path: Path): string {
  return path.map(({ name }) => name).join(".");
}

function shown(value: unknown): string {
  const plain = (_: string, one: unknown) => (typeof one === "bigint" ? String(one) : one);
  return JSON.stringify(value, plain)?.slice(0, 80) ?? String(value);
}
