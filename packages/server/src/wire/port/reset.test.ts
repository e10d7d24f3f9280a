/** A client may reset a stream at any time, with any code; that ends its request and nothing else. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, constants } from "node:http2";
import { test } from "node:test";
import { create } from "@bufbuild/protobuf";
import { GroupSchema } from "@wharf/contract";
import { open } from "../testing/open.ts";

const CREATE = "/wharf.iam.v2beta1.GroupsService/CreateGroup";
const REFLECTION = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";

for (const [protocol, path, type] of [
  ["gRPC", CREATE, "application/grpc"],
  ["gRPC, streaming", REFLECTION, "application/grpc"],
  ["gRPC-Web", CREATE, "application/grpc-web"],
  ["REST", "/iam/v2beta1/groups", "application/json"],
] as const) {
  test(`a stream reset within its message ends its request only: ${protocol}`, async (t) => {
    const port = await open(t, { CreateGroup: () => create(GroupSchema) });
    const session = connect(port.url);
    t.after(() => session.destroy());
    await once(session, "remoteSettings");
    for (const code of [constants.NGHTTP2_NO_ERROR, constants.NGHTTP2_CANCEL]) {
      const stream = session.request({ ":method": "POST", ":path": path, "content-type": type });
      stream.on("error", () => {});
      stream.resume();
      const part = Buffer.alloc(1_000);
      part.writeUInt32BE(2_000, 1);
      stream.write(part);
      // Frames are handled in order: when a ping is answered, what was sent before is known.
      await new Promise((resolve) => session.ping(resolve));
      stream.close(code);
      await new Promise((resolve) => session.ping(resolve));
    }
    const next = session.request({ ":path": "/openapi.json" });
    const [headers] = await once(next, "response");
    assert.equal(headers[":status"], 200);
    assert.equal(port.methods.calls.length, 0);
    assert.equal(port.events.length, 3, "each is reported once");
  });
}
