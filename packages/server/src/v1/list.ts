import { setImmediate } from "node:timers/promises";
import {
  create,
  type DescField,
  type DescMessage,
  type DescMethodUnary,
  type Message,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from "@bufbuild/protobuf";
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { tooLong, tooMany, WharfError } from "../lib/errors.ts";
import type { Call, Handler, Reply } from "../rpc/call.ts";
import { messageToJson } from "../rpc/json.ts";
import { preparedReply } from "../rpc/reply.ts";
import { type FieldNames, renameFields } from "../rpc/v1/names.ts";
import type { AdaptedMethod, Invoke } from "./adapter.ts";

/** The largest page of version 2. */
export const PAGE_SIZE = 200;

/** Limits of lists, which have no pagination. */
export const LIST_LIMITS = {
  /** A gRPC list is one length-prefixed message, so it is buffered as a whole. Clients accept 4 MiB by default. */
  messageBytes: 64 * 1024 * 1024,
  /** The buffers of all gRPC lists in progress; clients retry. */
  bufferedBytes: 256 * 1024 * 1024,
  /** Access is checked when a list begins; a caller who loses it stops reading after this time. */
  durationMs: 10 * 60_000,
};

/** Of all gRPC lists in progress. */
let bufferedBytes = 0;

/** The mapping of a version 1 list to a version 2 list. */
export interface ListTranslation<
  In1 extends DescMessage,
  Out1 extends DescMessage,
  In2 extends DescMessage,
  Out2 extends DescMessage,
  Item2,
> {
  readonly method: DescMethodUnary<In1, Out1>;
  readonly target: DescMethodUnary<In2, Out2>;
  /** The version 2 request; undefined if nothing can match. */
  request(filter: MessageShape<In1>): MessageInitShape<In2> | undefined;
  /** The rows of a page, with the related data that version 1 includes. */
  items(page: MessageShape<Out2>, call: Call): readonly Item2[] | Promise<readonly Item2[]>;
  /** Translates a row to version 1; undefined if the filter excludes it. */
  item(row: Item2, filter: MessageShape<In1>): Message | undefined;
  /** A smaller page, where rows are large. */
  readonly pageSize?: number;
  readonly names?: FieldNames;
}

/**
 * The handler of a list. Version 1 has no pagination: this reads the pages of version 2 one after the
 * other. Over REST it streams them, so that no list is buffered as a whole.
 */
export function adaptList<
  In1 extends DescMessage,
  Out1 extends DescMessage,
  In2 extends DescMessage,
  Out2 extends DescMessage,
  Item2,
>(
  invoke: Invoke,
  translation: ListTranslation<In1, Out1, In2, Out2, Item2>,
  limits = LIST_LIMITS,
): AdaptedMethod {
  const { method, target, request, items, item, names = {} } = translation;
  const { pageSize = PAGE_SIZE } = translation;
  const rows = method.output.fields.find((field) => field.name === "items") as ListField;

  async function* pages(
    call: Call,
    filter: MessageShape<In1>,
    query: MessageInitShape<In2>,
  ): Pages {
    let pageToken = "";
    do {
      const init = { ...query, pageSize, pageToken } as never;
      const input = create(target.input, init) as MessageShape<In2>;
      const page = await invoke(call, target, input).catch((thrown) => {
        throw renameFields(thrown, names);
      });
      yield (await items(page, call)).flatMap((row) => item(row, filter) ?? []);
      pageToken = (page as unknown as { nextPageToken: string }).nextPageToken;
    } while (pageToken !== "" && (await checkDeadline(call, limits.durationMs)));
  }

  const handler: Handler = async (call, message) => {
    const filter = message as MessageShape<In1>;
    const query = request(filter);
    const found = query === undefined ? noPages() : pages(call, filter, query);
    if (call.format === "binary") return bufferedReply(rows, found, limits);
    const first = (await found.next()).value ?? [];
    // Read one page ahead: most errors occur before the response begins, and short lists need no stream.
    const second = await found.next();
    if (second.done) return { ...NO_REPLY, json: () => `{"items":[${text(rows.message, first)}]}` };
    return { ...NO_REPLY, chunks: chunks(rows.message, [first, second.value], found) };
  };
  return [method, handler];
}

/** Yields to the event loop, then throws if the client has disconnected or the deadline has passed. */
async function checkDeadline({ signal, time }: Call, durationMs: number): Promise<true> {
  await setImmediate();
  signal.throwIfAborted();
  if (Date.now() - time <= durationMs) return true;
  throw new WharfError("DEADLINE_EXCEEDED", "the list took too long");
}

type ListField = DescField & { readonly message: DescMessage };

type Pages = AsyncGenerator<readonly Message[], void, undefined>;

async function* noPages(): Pages {}

const NO_REPLY: Reply = {
  json: () => "{}",
  binary: () => new Uint8Array(0),
};

async function* chunks(
  schema: DescMessage,
  begun: readonly (readonly Message[])[],
  rest: Pages,
): AsyncGenerator<string, void, undefined> {
  let before = '{"items":[';
  for await (const rows of all(begun, rest)) {
    if (rows.length === 0) continue;
    yield before + text(schema, rows);
    before = ",";
  }
  yield before === "," ? "]}" : `${before}]}`;
}

async function* all(begun: readonly (readonly Message[])[], rest: Pages): Pages {
  yield* begun;
  yield* rest;
}

function text(schema: DescMessage, rows: readonly Message[]): string {
  return rows.map((row) => messageToJson(schema, row)).join();
}

async function bufferedReply(
  { number, message: schema }: ListField,
  pages: Pages,
  limits: typeof LIST_LIMITS,
): Promise<Reply> {
  const writer = new BinaryWriter();
  let size = 0;
  try {
    for await (const rows of pages) {
      for (const row of rows) {
        const bytes = toBinary(schema, row);
        size += bytes.length;
        bufferedBytes += bytes.length;
        if (size > limits.messageBytes) throw tooLong("the list", limits.messageBytes);
        if (bufferedBytes > limits.bufferedBytes) {
          throw tooMany("too many long lists at once");
        }
        writer.tag(number, WireType.LengthDelimited).bytes(bytes);
      }
    }
    return preparedReply({ data: writer.finish() });
  } finally {
    bufferedBytes -= size;
  }
}
