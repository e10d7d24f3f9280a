import { type Advisory, parentOf } from "@wharf/contract";
import type { Engine } from "../engine/engine.ts";
import { Mutation } from "../engine/mutation.ts";
import { notFound } from "../lib/errors.ts";
import type { Call } from "../rpc/call.ts";
import { advisories } from "./advisories.ts";
import { AdvisoryWriter } from "./writer.ts";

/**
 * Writes into a group.
 *
 * @example const stored = await writeIn(engine, call, group, (writer) => writer.insert(advisory));
 */
export function writeIn<T>(
  engine: Engine,
  call: Call,
  group: string,
  work: (writer: AdvisoryWriter) => Promise<T>,
): Promise<T> {
  return engine.store.write(async (tx) => {
    return work(await AdvisoryWriter.begin(new Mutation(call, tx, engine), group));
  });
}

/**
 * Changes an advisory. Refuses when there is none, or none any more.
 *
 * @example await writeAdvisory(engine, call, uid, (writer, before) => writer.delete(before));
 */
export function writeAdvisory<T>(
  engine: Engine,
  call: Call,
  uid: string,
  work: (writer: AdvisoryWriter, before: Advisory) => Promise<T>,
  which: "present" | "deleted too" = "present",
): Promise<T> {
  return engine.store.write(async (tx) => {
    // Found missing here, it is the advisory that is missing, and not its group.
    if ((await advisories.table.find(tx, uid, "data")) === undefined) throw missing(uid);
    const writer = await AdvisoryWriter.begin(new Mutation(call, tx, engine), parentOf(uid));
    const before = await writer.findByUid(uid);
    if (which === "present" && before.deleteTime !== undefined) throw missing(uid);
    return work(writer, before);
  });
}

function missing(uid: string): Error {
  return notFound(advisories.typeName, uid);
}
