import { fromBinary, toBinary } from "@bufbuild/protobuf";
import type { SlicedTask } from "../../lib/scheduling/time-slices.ts";
import type { Call } from "../../rpc/call.ts";
import { messageToJson } from "../../rpc/json.ts";
import type { Reader } from "../../store/db/connection.ts";
import type { Catalog } from "../catalog.ts";
import type { ResourceMessage } from "../definition.ts";
import type { Resource } from "../resource.ts";
import type { Body } from "./page-reply.ts";

/** Rows that are hydrated by one statement or more: those of a page of the default size. */
const BATCH_SIZE = 50;

/**
 * Hydrated rows, in the requested format. Decoding and encoding the largest page takes many times as long as a GET, so
 * other tasks may run between any two rows.
 */
export async function hydratedRows<R extends ResourceMessage>(
  { definition: { schema, hydrate } }: Pick<Resource<R>, "definition">,
  catalog: Catalog,
  reader: Reader,
  format: Call["format"],
  stored: readonly Body[],
  task: SlicedTask,
): Promise<Body[]> {
  const encode = (one: R) =>
    format === "json" ? messageToJson(schema, one) : toBinary(schema, one);
  const encoded: Body[] = [];
  for (let at = 0; at < stored.length; at += BATCH_SIZE) {
    const batch: R[] = [];
    for (const body of stored.slice(at, at + BATCH_SIZE)) {
      batch.push(fromBinary(schema, body as Uint8Array));
      await task.pause();
    }
    await hydrate?.(reader, batch, catalog);
    for (const one of batch) {
      await task.pause();
      encoded.push(encode(one));
    }
  }
  return encoded;
}
