import { create } from "@bufbuild/protobuf";
import { PingResponseSchema } from "@wharf/contract";
import type { Handler } from "../rpc/call.ts";
import { messageReply } from "../rpc/reply.ts";

/** Answers whoever asks whether anyone is there. */
export const ping: Handler = async () =>
  messageReply(PingResponseSchema, create(PingResponseSchema, { response: "pong" }));
