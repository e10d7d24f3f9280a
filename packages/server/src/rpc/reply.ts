import { type DescMessage, type Message, toBinary } from "@bufbuild/protobuf";
import type { Reply } from "./call.ts";
import { messageToJson } from "./json.ts";

/**
 * An answer made from a message when it is written out.
 *
 * @example return messageReply(PingResponseSchema, create(PingResponseSchema, { response: "pong" }));
 */
export function messageReply(schema: DescMessage, message: Message): Reply {
  return {
    json: () => messageToJson(schema, message),
    binary: () => toBinary(schema, message),
  };
}

/** The answer that says nothing but "done". */
export const EMPTY_REPLY: Reply = {
  json: () => "{}",
  binary: () => new Uint8Array(0),
};

/**
 * An answer that is at hand in one form or both. Handlers prepare the form that the call asks for;
 * asking for another is a fault of ours.
 *
 * @example return preparedReply(await table.find(reader, uid, "json"));
 */
export function preparedReply(row: { json?: string; data?: Uint8Array }): Reply {
  return new PreparedReply(row);
}

class PreparedReply implements Reply {
  readonly #row: { json?: string; data?: Uint8Array };

  constructor(row: { json?: string; data?: Uint8Array }) {
    this.#row = row;
  }

  json(): string {
    if (this.#row.json === undefined) throw new Error("the answer was not prepared as JSON");
    return this.#row.json;
  }

  binary(): Uint8Array {
    if (this.#row.data === undefined) throw new Error("the answer was not prepared as binary");
    return this.#row.data;
  }
}
