import assert from "node:assert/strict";
import { test } from "node:test";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { create, createFileRegistry, fromBinary, toBinary } from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema, FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import type { ServiceError } from "@grpc/grpc-js";
import {
  ServerReflectionRequestSchema,
  ServerReflectionResponseSchema,
} from "@wharf/contract/gen/grpc/reflection/v1/reflection_pb.js";
import {
  HealthCheckRequestSchema,
  HealthCheckResponseSchema,
  HealthCheckResponse_ServingStatus as Status,
} from "@wharf/contract/gen/health/v1/health_pb.js";
import { GrpcClient } from "../../testing/grpc-client.ts";
import { open } from "../../testing/open.ts";

type Question = NonNullable<
  MessageInitShape<typeof ServerReflectionRequestSchema>["messageRequest"]
>;

async function ask(client: GrpcClient, version: string, messageRequest: Question) {
  const stream = client.client.makeBidiStreamRequest(
    `/grpc.reflection.${version}.ServerReflection/ServerReflectionInfo`,
    (bytes: Uint8Array) => Buffer.from(bytes),
    (bytes) => fromBinary(ServerReflectionResponseSchema, bytes),
  );
  const init = { messageRequest } as MessageInitShape<typeof ServerReflectionRequestSchema>;
  const request = create(ServerReflectionRequestSchema, init);
  stream.write(toBinary(ServerReflectionRequestSchema, request));
  stream.end();
  const answers = [];
  for await (const answer of stream) answers.push(answer);
  assert.equal(answers.length, 1);
  return answers[0].messageResponse;
}

for (const version of ["v1", "v1alpha"]) {
  test(`reflection ${version} lists the services and describes each under every name`, async (t) => {
    const port = await open(t, {});
    const client = new GrpcClient(t, port.url);
    const list = await ask(client, version, { case: "listServices", value: "" });
    const names: string[] = list.value.service.map((service: { name: string }) => service.name);
    for (const name of [
      "wharf.iam.v2beta1.GroupsService",
      "chainguard.platform.iam.v2.GroupsService",
    ]) {
      assert.ok(names.includes(name));
      const answer = await ask(client, version, { case: "fileContainingSymbol", value: name });
      const file = answer.value.fileDescriptorProto.map((bytes: Uint8Array) =>
        fromBinary(FileDescriptorProtoSchema, bytes),
      );
      const registry = createFileRegistry(
        create(FileDescriptorSetSchema, { file: file.reverse() }),
      );
      const service = registry.getService(name);
      assert.equal(service?.method.getGroup?.output.typeName, "wharf.iam.v2beta1.Group");
    }
  });
}

test("reflection lists and describes health and itself", async (t) => {
  const port = await open(t, {});
  const client = new GrpcClient(t, port.url);
  const list = await ask(client, "v1", { case: "listServices", value: "" });
  const names: string[] = list.value.service.map((service: { name: string }) => service.name);
  for (const [name, method] of [
    ["grpc.health.v1.Health", "check"],
    ["grpc.reflection.v1.ServerReflection", "serverReflectionInfo"],
    ["grpc.reflection.v1alpha.ServerReflection", "serverReflectionInfo"],
  ] as const) {
    assert.equal(names.filter((one) => one === name).length, 1, name);
    const answer = await ask(client, "v1", { case: "fileContainingSymbol", value: name });
    const file = answer.value.fileDescriptorProto.map((bytes: Uint8Array) =>
      fromBinary(FileDescriptorProtoSchema, bytes),
    );
    const registry = createFileRegistry(create(FileDescriptorSetSchema, { file: file.reverse() }));
    assert.ok(registry.getService(name)?.method[method], name);
  }
});

test("reflection finds files, members and extensions, and reports unknown ones", async (t) => {
  const port = await open(t, {});
  const client = new GrpcClient(t, port.url);
  const expect = async (question: Question, answer: string) =>
    assert.equal((await ask(client, "v1", question)).case, answer);
  const file = "wharf/iam/v2beta1/groups.proto";
  await expect({ case: "fileByFilename", value: file }, "fileDescriptorResponse");
  const method = "wharf.iam.v2beta1.GroupsService.GetGroup";
  await expect({ case: "fileContainingSymbol", value: method }, "fileDescriptorResponse");
  const containingType = "google.protobuf.MethodOptions";
  const extension = { containingType, extensionNumber: 72295728 };
  await expect({ case: "fileContainingExtension", value: extension }, "fileDescriptorResponse");
  const all = "allExtensionNumbersOfType";
  await expect({ case: all, value: containingType }, "allExtensionNumbersResponse");
  await expect({ case: "fileContainingSymbol", value: "no.Such" }, "errorResponse");
  await expect({ case: "fileByFilename", value: "no.proto" }, "errorResponse");
});

function check(client: GrpcClient, service: string) {
  const request = create(HealthCheckRequestSchema, { service });
  const path = "/grpc.health.v1.Health/Check";
  return client.unary(path, HealthCheckRequestSchema, request, HealthCheckResponseSchema);
}

test("health is known for the server and for each service", async (t) => {
  let serving = true;
  const port = await open(t, {}, { health: { serving: () => serving, onChange() {} } });
  const client = new GrpcClient(t, port.url);
  assert.equal((await check(client, "")).status, Status.SERVING);
  const name = "chainguard.platform.iam.v2beta1.GroupsService";
  assert.equal((await check(client, name)).status, Status.SERVING);
  await assert.rejects(check(client, "no.Such"), { code: 5 });
  serving = false;
  assert.equal((await check(client, "")).status, Status.NOT_SERVING);
});

test("watchers are notified of changes, and end when the port closes", async (t) => {
  let serving = true;
  let changed = () => {};
  const onChange = (listener: () => void) => {
    changed = listener;
  };
  const port = await open(t, {}, { health: { serving: () => serving, onChange } });
  const client = new GrpcClient(t, port.url);
  const stream = client.client.makeServerStreamRequest(
    "/grpc.health.v1.Health/Watch",
    (bytes: Uint8Array) => Buffer.from(bytes),
    (bytes) => fromBinary(HealthCheckResponseSchema, bytes).status,
    toBinary(HealthCheckRequestSchema, create(HealthCheckRequestSchema)),
  );
  const seen: Status[] = [];
  const error = await new Promise<Error>((resolve) => {
    stream.on("error", resolve);
    stream.on("data", (status: Status) => {
      seen.push(status);
      if (seen.length > 1) port.close(5_000);
      else {
        serving = false;
        changed();
      }
    });
  });
  assert.deepEqual(seen, [Status.SERVING, Status.NOT_SERVING]);
  assert.equal((error as ServiceError).code, 14);
});
