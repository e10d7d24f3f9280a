/** A resource is two files: the contract and the definition. Everything else follows from `npm run generate`. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { RepositoryCopy } from "../support/repository-copy.ts";

const PROTO = `syntax = "proto3";

package wharf.iam.v2beta1;

import "google/api/annotations.proto";
import "google/api/field_behavior.proto";
import "google/protobuf/empty.proto";
import "google/protobuf/field_mask.proto";
import "google/protobuf/timestamp.proto";
import "wharf/annotations/annotations.proto";
import "wharf/capabilities/capabilities.proto";
import "wharf/common/uid_filter.proto";

service MemosService {
  rpc CreateMemo(CreateMemoRequest) returns (Memo) {
    option (google.api.http) = {post: "/iam/v2beta1/memos/{parent=**}" body: "memo"};
    option (wharf.annotations.access).scoped = {capabilities: CAP_IAM_GROUPS_UPDATE};
    option (wharf.annotations.event) = {type: "iam.memo.created.v1"};
  }
  rpc GetMemo(GetMemoRequest) returns (Memo) {
    option (google.api.http) = {get: "/iam/v2beta1/memos/{uid=**}"};
    option (wharf.annotations.access).scoped = {capabilities: CAP_IAM_GROUPS_LIST};
  }
  rpc ListMemos(ListMemosRequest) returns (ListMemosResponse) {
    option (google.api.http) = {get: "/iam/v2beta1/memos"};
    option (wharf.annotations.access).unscoped = {capabilities: CAP_IAM_GROUPS_LIST};
  }
  rpc UpdateMemo(UpdateMemoRequest) returns (Memo) {
    option (google.api.http) = {patch: "/iam/v2beta1/memos/{memo.uid=**}" body: "memo"};
    option (wharf.annotations.access).scoped = {capabilities: CAP_IAM_GROUPS_UPDATE};
    option (wharf.annotations.event) = {type: "iam.memo.updated.v1"};
  }
  rpc DeleteMemo(DeleteMemoRequest) returns (google.protobuf.Empty) {
    option (google.api.http) = {delete: "/iam/v2beta1/memos/{uid=**}"};
    option (wharf.annotations.access).scoped = {capabilities: CAP_IAM_GROUPS_UPDATE};
    option (wharf.annotations.event) = {type: "iam.memo.deleted.v1"};
  }
}

message Memo {
  string uid = 1 [(google.api.field_behavior) = OUTPUT_ONLY, (wharf.annotations.scope) = true];
  string name = 2 [(google.api.field_behavior) = REQUIRED];
  string text = 3;
  google.protobuf.Timestamp create_time = 100 [(google.api.field_behavior) = OUTPUT_ONLY];
  google.protobuf.Timestamp update_time = 101 [(google.api.field_behavior) = OUTPUT_ONLY];
}

message CreateMemoRequest {
  string parent = 1 [
    (google.api.field_behavior) = REQUIRED,
    (wharf.annotations.scope) = true,
    (wharf.annotations.rules).uid = true
  ];
  Memo memo = 2 [(google.api.field_behavior) = REQUIRED];
}

message GetMemoRequest {
  string uid = 1 [
    (google.api.field_behavior) = REQUIRED,
    (wharf.annotations.scope) = true,
    (wharf.annotations.rules).uid = true
  ];
}

message ListMemosRequest {
  wharf.common.UIDPFilter uidp = 1;
  int32 page_size = 2;
  string page_token = 3;
  string order_by = 4;
  int32 skip = 5;
}

message ListMemosResponse {
  repeated Memo memos = 1;
  string next_page_token = 2;
  optional int64 total_count = 3;
  int32 skipped = 4;
}

message UpdateMemoRequest {
  Memo memo = 1 [(google.api.field_behavior) = REQUIRED, (wharf.annotations.scope) = true];
  google.protobuf.FieldMask update_mask = 2;
}

message DeleteMemoRequest {
  string uid = 1 [
    (google.api.field_behavior) = REQUIRED,
    (wharf.annotations.scope) = true,
    (wharf.annotations.rules).uid = true
  ];
}
`;

const DEFINITION = `import { type Memo, MemoSchema, MemosService } from "@wharf/contract";
import { Resource } from "../engine/resource.ts";

export const memos: Resource<Memo> = new Resource({
  service: MemosService,
  schema: MemoSchema,
  table: "memos",
});
`;

describe("a resource of two files", () => {
  const copy = new RepositoryCopy();
  let server: { url: string; stop(): Promise<void> } | undefined;
  let token: string;
  // biome-ignore lint/suspicious/noExplicitAny: the client of the copy has types only there.
  let clientOf: (protocol: "REST" | "gRPC") => any;
  let group: string;

  before(async () => {
    copy.write("proto/wharf/iam/v2beta1/memos.proto", PROTO);
    copy.write("packages/server/src/iam/memos.ts", DEFINITION);
    await copy.generate();
    const { readSettings } = await copy.import("packages/server/src/config/settings.ts");
    const flags = ["--listen", "127.0.0.1:0", "--data", copy.path("data"), "--log-level", "error"];
    const settings = await readSettings(flags, {});
    const { startServer } = await copy.import("packages/server/src/app/server.ts");
    server = (await startServer(settings)) as { url: string; stop(): Promise<void> };
    const { operatorToken } = await copy.import("packages/server/src/app/admin.ts");
    token = await operatorToken(settings);
    const { createWharf } = await copy.import("packages/client/src/index.ts");
    const { grpcTransport } = await copy.import("packages/client/src/node.ts");
    const baseUrl = server.url;
    clientOf = (protocol) => {
      const transport = protocol === "gRPC" ? { transport: grpcTransport() } : {};
      return createWharf({ baseUrl, token, ...transport });
    };
    ({ uid: group } = await clientOf("REST").groups.create({ group: { name: "acme" } }));
  });
  after(async () => {
    await server?.stop();
    copy.remove();
  });

  for (const protocol of ["REST", "gRPC"] as const) {
    test(`is served to the client over ${protocol}`, async () => {
      const { memos } = clientOf(protocol);
      const { uid } = await memos.create({ parent: group, memo: { name: "a", text: "one" } });
      assert.ok(uid.startsWith(`${group}/`));
      assert.equal((await memos.get({ uid })).text, "one");
      const changed = await memos.update({ memo: { uid, text: "two" }, updateMask: ["text"] });
      assert.deepEqual([changed.name, changed.text], ["a", "two"]);
      const listed = await Array.fromAsync(memos.listAll({ uidp: { childrenOf: group } }));
      assert.deepEqual(listed, [changed]);
      await memos.delete({ uid });
      await assert.rejects(memos.get({ uid }), { code: "NOT_FOUND" });
    });
  }

  test("has routes", async () => {
    const url = `${server?.url}/iam/v2beta1/memos`;
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const body = JSON.stringify({ name: "b" });
    const created = await fetch(`${url}/${group}`, { method: "POST", headers, body });
    assert.equal(created.status, 200);
    const { uid } = (await created.json()) as { uid: string };
    const { memos, totalCount } = (await (await fetch(url, { headers })).json()) as {
      memos: { uid: string; name: string }[];
      totalCount: string;
    };
    assert.deepEqual([memos.map((memo) => [memo.uid, memo.name]), totalCount], [[[uid, "b"]], "1"]);
    assert.equal((await fetch(`${url}/${uid}`, { method: "DELETE", headers })).status, 200);
    assert.equal((await fetch(`${url}/${uid}`)).status, 401);
  });

  test("is in the OpenAPI document", async () => {
    const document = (await (await fetch(`${server?.url}/openapi.json`)).json()) as {
      paths: Record<string, object>;
      components: { schemas: Record<string, object> };
    };
    const paths = Object.entries(document.paths).filter(([path]) => path.includes("/memos"));
    const verbs = paths.flatMap(([, item]) => Object.keys(item)).sort();
    assert.deepEqual(verbs, ["delete", "get", "get", "patch", "post"]);
    assert.ok(Object.keys(document.components.schemas).some((name) => name.endsWith("Memo")));
  });
});
