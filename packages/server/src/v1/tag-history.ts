import { create } from "@bufbuild/protobuf";
import { type Timestamp, timestampMs } from "@bufbuild/protobuf/wkt";
import { TagsService } from "@wharf/contract";
import { registryV1 } from "@wharf/contract/v1";
import { WharfError } from "../lib/errors.ts";
import type { Adapted, Invoke } from "./adapter.ts";
import { adaptList } from "./list.ts";

const { Registry, TagHistorySchema } = registryV1;

/**
 * What tags have stood for, as version 1 has it: all at once, or from one time until another.
 *
 * @example handlers.push(...tagHistoryMethods(invoke));
 */
export function tagHistoryMethods(invoke: Invoke): Adapted[] {
  return [
    adaptList(orNothing(invoke), {
      method: Registry.method.listTagHistory,
      onto: TagsService.method.listTagHistory,
      request: ({ parentId }) => ({ uid: parentId }),
      items: ({ entries }) => entries,
      item({ digest, updateTime }, { start, end }) {
        const time = timestampMs(updateTime as Timestamp);
        if ((start && time < timestampMs(start)) || (end && time >= timestampMs(end))) return;
        return create(TagHistorySchema, { digest, updateTimestamp: updateTime as Timestamp });
      },
      names: { uid: "parentId" },
    }),
  ];
}

/** To version 1, what does not exist has an empty list. */
function orNothing(invoke: Invoke): Invoke {
  return (call, method, request) =>
    invoke(call, method, request).catch((thrown) => {
      if (!(thrown instanceof WharfError) || thrown.code !== "NOT_FOUND") throw thrown;
      return create(method.output);
    });
}
