import { once } from "node:events";
import { connect } from "node:http2";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { GetGroupRequestSchema, GroupSchema } from "@wharf/contract";
import { dataSet, someUids } from "../data-set.ts";
import { framed, unframed } from "../grpc-frame.ts";
import type { GrpcJob } from "../load/grpc.ts";
import type { Load } from "../load/load.ts";
import { measureLoads, perSecond, type Side } from "../measure.ts";
import { Program } from "../program.ts";
import type { ServedMessage } from "../reference/grpc.ts";
import { type Row, serve } from "../row.ts";
import { mustEqual } from "../verify.ts";

const PATH = "/wharf.iam.v2beta1.GroupsService/GetGroup";
const GROUPS = 1_000;
const CONNECTIONS = 4;
const CALLS = 16;

function requestFor(uid: string): Uint8Array {
  return toBinary(GetGroupRequestSchema, create(GetGroupRequestSchema, { uid }));
}

/** The response message of one call. */
async function ask(port: number, token: string, uid: string): Promise<Buffer> {
  const session = connect(`http://127.0.0.1:${port}`);
  const stream = session.request({
    ":method": "POST",
    ":path": PATH,
    "content-type": "application/grpc",
    te: "trailers",
    authorization: `Bearer ${token}`,
  });
  const trailers = once(stream, "trailers");
  stream.end(framed(requestFor(uid)));
  const bytes = Buffer.concat(await stream.toArray());
  mustEqual((await trailers)[0]["grpc-status"], "0");
  session.close();
  return unframed(bytes);
}

export const getGrpc: Row = {
  work: "GetGroup, gRPC",
  reference: "bare @grpc/grpc-js answering the same message",
  target: { atLeast: 0.7 },

  async measure(bench) {
    const { options, cores } = bench;
    const data = await dataSet(options.sizes.medium);
    const uids = someUids(data, GROUPS);
    const [uid = ""] = uids;
    await using server = await serve(bench, data);
    const message = await ask(server.port, server.token, uid);
    mustEqual(fromBinary(GroupSchema, message).uid, uid);

    await using reference = new Program<ServedMessage, { port: number }>(
      "reference/grpc.ts",
      cores.serving,
    );
    const { port } = await reference.ask({ path: PATH, message });
    mustEqual(await ask(port, server.token, uid), message);

    await using loader = new Program<GrpcJob, Load>("load/grpc.ts", cores.asking);
    const side = (pid: number, to: number): Side => ({
      pid,
      load: (seconds) =>
        loader.ask({
          port: to,
          token: server.token,
          path: PATH,
          messages: uids.map(requestFor),
          connections: CONNECTIONS,
          calls: CALLS,
          seconds,
          messageBytes: message.length,
        }),
    });
    const bare = side(reference.pid, port);
    return await measureLoads(bench, "per s", perSecond, bare, side(server.pid, server.port));
  },
};
