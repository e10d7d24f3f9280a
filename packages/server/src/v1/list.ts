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
import { isUid, type UIDPFilter, UIDPFilterSchema } from "@wharf/contract";
import { tooLong, WharfError } from "../lib/errors.ts";
import type { Call, Handler, Reply } from "../rpc/call.ts";
import { messageToJson } from "../rpc/json.ts";
import { preparedReply } from "../rpc/reply.ts";
import type { Adapted, Invoke } from "./adapter.ts";
import { type Names, renamed } from "./names.ts";

/** As many as a page of version 2 holds. */
export const PAGE_SIZE = 200;

/**
 * Over gRPC a list is one message, whose length comes before it, so it is held as a whole. Clients
 * take 4 MiB unless told otherwise; this is more than any should be told.
 */
const LONGEST_MESSAGE = 64 * 1024 * 1024;

/** What all lists that are put together at the moment may come to; clients try again. */
const MOST_HELD = 256 * 1024 * 1024;

/** What they come to now. */
let held = 0;

/** Access is judged when a list begins; whoever has lost it since does not read on for ever. */
const LONGEST_MS = 10 * 60_000;

/** What differs between the two versions of a list. */
export interface ListTranslation<
  In1 extends DescMessage,
  Out1 extends DescMessage,
  In2 extends DescMessage,
  Out2 extends DescMessage,
  Item2,
> {
  readonly method: DescMethodUnary<In1, Out1>;
  readonly onto: DescMethodUnary<In2, Out2>;
  /** The same question; undefined where nothing can answer to it. */
  request(filter: MessageShape<In1>): MessageInitShape<In2> | undefined;
  /** The rows of a page, with all that showing them takes. */
  items(page: MessageShape<Out2>, call: Call): readonly Item2[] | Promise<readonly Item2[]>;
  /** A row as version 1 shows it, or undefined where it does not. */
  item(row: Item2, filter: MessageShape<In1>): Message | undefined;
  /** Fewer than a page of version 2 holds, where rows are large. */
  readonly pageSize?: number;
  readonly names?: Names;
}

/**
 * The handler of a list. Version 1 has no pages: they are read one after the other here, and over
 * REST written as they are read, so that no list is ever held in memory as a whole.
 *
 * @example adaptList(invoke, { method: Groups.method.list, onto: GroupsService.method.listGroups, … })
 */
export function adaptList<
  In1 extends DescMessage,
  Out1 extends DescMessage,
  In2 extends DescMessage,
  Out2 extends DescMessage,
  Item2,
>(invoke: Invoke, translation: ListTranslation<In1, Out1, In2, Out2, Item2>): Adapted {
  const { method, onto, request, items, item, names = {} } = translation;
  const { pageSize = PAGE_SIZE } = translation;
  const rows = method.output.fields.find((field) => field.name === "items") as ListField;

  async function* pages(
    call: Call,
    filter: MessageShape<In1>,
    question: MessageInitShape<In2>,
  ): Pages {
    let pageToken = "";
    do {
      const asked = create(onto.input, { ...question, pageSize, pageToken } as never);
      const done = invoke(call, onto, asked as MessageShape<In2>);
      const page = await done.catch((thrown) => {
        throw renamed(thrown, names);
      });
      yield (await items(page, call)).flatMap((row) => item(row, filter) ?? []);
      pageToken = (page as unknown as { nextPageToken: string }).nextPageToken;
    } while (pageToken !== "" && (await mayGoOn(call)));
  }

  const handler: Handler = async (call, message) => {
    const filter = message as MessageShape<In1>;
    const question = request(filter);
    const found = question === undefined ? nothing() : pages(call, filter, question);
    if (call.format === "binary") return wholeReply(rows, found);
    const first = (await found.next()).value ?? [];
    // Read ahead, so that most refusals come before the answer begins, and short answers are whole.
    const second = await found.next();
    if (second.done) return { ...NO_REPLY, json: () => `{"items":[${text(rows.message, first)}]}` };
    return { ...NO_REPLY, chunks: chunks(rows.message, [first, second.value], found) };
  };
  return [method, handler];
}

/** Lets others have their turn, and refuses to read further for nobody, or for too long. */
async function mayGoOn({ signal, time }: Call): Promise<true> {
  await setImmediate();
  signal.throwIfAborted();
  if (Date.now() - time <= LONGEST_MS) return true;
  throw new WharfError("DEADLINE_EXCEEDED", "the list took too long");
}

type ListField = DescField & { readonly message: DescMessage };

type Pages = AsyncGenerator<readonly Message[], void, undefined>;

async function* nothing(): Pages {}

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

async function wholeReply({ number, message: schema }: ListField, pages: Pages): Promise<Reply> {
  const writer = new BinaryWriter();
  let size = 0;
  try {
    for await (const rows of pages) {
      for (const row of rows) {
        const bytes = toBinary(schema, row);
        size += bytes.length;
        held += bytes.length;
        if (size > LONGEST_MESSAGE) throw tooLong("the list", LONGEST_MESSAGE);
        if (held > MOST_HELD)
          throw new WharfError("RESOURCE_EXHAUSTED", "too many long lists at once");
        writer.tag(number, WireType.LengthDelimited).bytes(bytes);
      }
    }
    return preparedReply({ data: writer.finish() });
  } finally {
    held -= size;
  }
}

/**
 * The filter by uid that version 2 knows, from the two that version 1 has. Undefined where it asks
 * for what cannot exist: version 1 answers that with an empty list.
 *
 * @example const uidp = filterOf(filter.id, filter.uidp);
 */
export function filterOf(id: string, uidp?: UIDPFilter): UIDPFilter | undefined {
  const named = uidp?.ids ?? [];
  const wanted = id === "" ? named : named.length === 0 ? [id] : named.filter((one) => one === id);
  const ids = wanted.filter(isUid);
  const asksForSome = id !== "" || named.length > 0;
  if (asksForSome && ids.length === 0) return undefined;
  return Object.assign(create(UIDPFilterSchema), uidp, { ids });
}
