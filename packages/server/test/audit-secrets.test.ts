import assert from "node:assert/strict";
import { test } from "node:test";
import {
  create,
  type DescField,
  type DescMessage,
  fromBinary,
  fromJson,
  type Message,
  ScalarType,
  toBinary,
} from "@bufbuild/protobuf";
import { type ReflectMessage, reflect } from "@bufbuild/protobuf/reflect";
import { fieldBehavior, rulesOf, SERVICES } from "@wharf/contract";
import { SERVICES_V1 } from "@wharf/contract/v1";
import { RESOURCES } from "../src/app/resources.ts";
import { changesOf, deletionOf } from "../src/engine/audit/audit.ts";
import type { ResourceMessage } from "../src/engine/definition.ts";
import type { Resource } from "../src/engine/resource.ts";
import { changedFields } from "../src/engine/write/changed-fields.ts";
import { sendBytes } from "./support/client/grpc.ts";
import { Receiver } from "./support/events/receiver.ts";
import { ValidRequests } from "./support/fuzz/boundary-requests.ts";
import { leavesOf, put } from "./support/fuzz/boundary-values.ts";
import { DirectStore } from "./support/server/direct-store.ts";
import { World } from "./support/world/world.ts";

const SECRET = "value-that-must-not-be-recorded";

const isSecret = (field: DescField) =>
  fieldBehavior(field).inputOnly || (rulesOf(field)?.secret ?? false);

/** The paths of the secret texts of a message, each as a message in which only it is set. */
function* withSecret(
  schema: DescMessage,
  hidden: boolean,
  depth = 0,
): Generator<readonly [path: string, message: Message]> {
  if (depth > 4) return;
  for (const field of schema.fields) {
    const isHidden = hidden || isSecret(field);
    const message = reflect(schema);
    if (field.fieldKind === "scalar" && isHidden && typeof message.get(field) === "string") {
      message.set(field, SECRET);
      yield [field.jsonName, message.message];
    } else if (field.fieldKind === "message") {
      for (const [path, inner] of withSecret(field.message, isHidden, depth + 1)) {
        const outer = reflect(schema);
        outer.set(field, reflect(field.message, inner));
        yield [`${field.jsonName}.${path}`, outer.message];
      }
    }
  }
}

test("no secret of any resource gets into the audit log, when it is updated or deleted", () => {
  const found: string[] = [];
  for (const one of Object.values(RESOURCES)) {
    const resource = one as unknown as Resource<ResourceMessage>;
    const { schema } = resource.definition;
    for (const [path, message] of withSecret(schema, false)) {
      found.push(`${schema.name}.${path}`);
      const fields = changedFields(schema, create(schema), message, []);
      const deletion = deletionOf(resource, message as ResourceMessage);
      const changes = changesOf(
        resource,
        create(schema) as ResourceMessage,
        message as ResourceMessage,
        [...fields, path],
      );
      const recorded = JSON.stringify([fields, deletion, changes]);
      assert.ok(!recorded.includes(SECRET), `${schema.name}.${path}`);
    }
  }
  assert.ok(found.includes("IdentityProvider.oidc.clientSecret"), found.join(" "));
});

/** Methods that end sessions of the caller, or ask other servers. */
const LEFT_OUT = /Logout|CheckAccountAssociation|GroupAccountAssociations\/Check/;

/** The tables that record requests. */
const TABLES = ["audit", "events", "deliveries"];

/** The texts of the secret fields of a message. */
function* secretsOf(message: ReflectMessage, isWithin = false): Generator<string> {
  for (const field of message.fields) {
    const hidden = isWithin || isSecret(field);
    if (!message.isSet(field)) continue;
    const value: unknown = message.get(field);
    if (field.fieldKind === "message") yield* secretsOf(value as ReflectMessage, hidden);
    else if (hidden && typeof value === "string") yield value;
  }
}

test("no secret of any request or response is recorded, whatever the method", async () => {
  const world = await World.start();
  const receiver = await Receiver.start();
  try {
    const ground = await ValidRequests.prepare(world);
    const { token, subscriptions } = world.operator();
    const root = ground.requestOf(
      SERVICES.flatMap(({ methods }) => methods).find(
        ({ name }) => name === "CreateGroup",
      ) as never,
    ).parent as string;
    await subscriptions.create(root, { sink: receiver.url });
    const sent: string[] = [];
    const answered = new Map<string, string>();
    for (const method of [...SERVICES, ...SERVICES_V1].flatMap(({ methods }) => methods)) {
      const name = `${method.parent.name}/${method.name}`;
      // A stream waits for something to happen, or for a client that reads on.
      if (LEFT_OUT.test(name) || method.methodKind !== "unary") continue;
      const request = fromJson(method.input, ground.requestOf(method));
      for (const path of leavesOf(method.input)) {
        const { scalar } = path.at(-1) as DescField;
        if (scalar !== ScalarType.STRING || !path.some(isSecret)) continue;
        put(request, path, SECRET);
        sent.push(`${name} ${path.map(({ jsonName }) => jsonName).join(".")}`);
      }
      const address = `/${method.parent.typeName}/${method.name}`;
      const bytes = Buffer.from(toBinary(method.input, request));
      const reply = await sendBytes(world.server.url, token, address, bytes).catch(() => undefined);
      if (reply === undefined) continue;
      const response = reflect(method.output, fromBinary(method.output, reply));
      for (const secret of secretsOf(response)) answered.set(secret, name);
    }
    for (const name of ["CreateIdentityProvider", "UpdateIdentityProvider"])
      assert.ok(
        sent.includes(`IdentityProvidersService/${name} identityProvider.oidc.clientSecret`),
      );
    assert.ok(
      [...answered.values()].some((name) => name.includes("ScimToken")),
      "got a token",
    );
    await receiver.about(await world.group(root));
    const direct = await DirectStore.open(world.server);
    const recorded: string[] = receiver.received.map(({ body }) => body);
    for (const table of TABLES) {
      const rows = await direct.store.reader.all(`SELECT * FROM ${table}`);
      assert.ok(rows.length > 0, table);
      recorded.push(...rows.map((row) => `${table} ${JSON.stringify(row)}`));
    }
    await direct.close();
    const isIn = (secret: string) => recorded.filter((row) => row.includes(secret));
    assert.deepEqual(isIn(SECRET), []);
    assert.deepEqual(isIn(token.split(".")[2] as string), [], "the token of the caller");
    for (const [secret, name] of answered) assert.deepEqual(isIn(secret), [], name);
  } finally {
    await world.stop();
    await receiver.stop();
  }
});
