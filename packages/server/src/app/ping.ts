import { create } from "@bufbuild/protobuf";
import { PingResponseSchema } from "@wharf/contract";
import type { Handler } from "../rpc/call.ts";
import { messageReply } from "../rpc/reply.ts";

/** Reports that the server is reachable. */
export const ping: Handler = async () =>
  messageReply(PingResponseSchema, create(PingResponseSchema, { response: "pong" }));
