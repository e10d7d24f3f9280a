import { type DescMessage, type Message, toBinary } from "@bufbuild/protobuf";
import { unimplemented } from "../lib/errors.ts";
import type { Reply, StreamedMessage } from "./call.ts";
import { messageToJson } from "./json.ts";

/** A response that encodes a message on demand. */
export function messageReply(schema: DescMessage, message: Message): Reply {
  return {
    json: () => messageToJson(schema, message),
    binary: () => toBinary(schema, message),
  };
}

/** The response `google.protobuf.Empty`. */
export const EMPTY_REPLY: Reply = {
  json: () => "{}",
  binary: () => new Uint8Array(0),
};

/** A response of many messages, sent as they are produced. */
export function streamReply(stream: AsyncIterable<StreamedMessage>): Reply {
  const single = () => {
    throw unimplemented("a stream over this protocol");
  };
  return { json: single, binary: single, stream };
}

/** A response that was stored encoded. Handlers read the encoding that the call asks for; another one is a bug. */
export function preparedReply(row: { json?: string; data?: Uint8Array }): Reply {
  return new PreparedReply(row);
}

class PreparedReply implements Reply {
  readonly #row: { json?: string; data?: Uint8Array };

  constructor(row: { json?: string; data?: Uint8Array }) {
    this.#row = row;
  }

  json(): string {
    if (this.#row.json === undefined) throw new Error("the response was not prepared as JSON");
    return this.#row.json;
  }

  binary(): Uint8Array {
    if (this.#row.data === undefined) throw new Error("the response was not prepared as binary");
    return this.#row.data;
  }
}
