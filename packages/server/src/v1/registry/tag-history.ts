import { create } from "@bufbuild/protobuf";
import { TagsService } from "@wharf/contract";
import { registryV1 } from "@wharf/contract/v1";
import { WharfError } from "../../lib/errors.ts";
import type { AdaptedMethod, Invoke } from "../adapter.ts";
import { adaptList } from "../list.ts";

const { Registry, TagHistorySchema } = registryV1;

/** The version 1 tag history, oldest first: the whole, or a time range. */
export function tagHistoryMethods(invoke: Invoke): AdaptedMethod[] {
  return [
    adaptList(emptyIfNotFound(invoke), {
      method: Registry.method.listTagHistory,
      target: TagsService.method.listTagHistory,
      request: ({ parentId, start, end }) => ({
        ...{ uid: parentId, orderBy: "update_time" },
        ...(start && { start }),
        ...(end && { end }),
      }),
      items: ({ entries }) => entries,
      item: ({ digest, updateTime }) =>
        create(TagHistorySchema, { digest, ...(updateTime && { updateTimestamp: updateTime }) }),
      names: { uid: "parentId" },
    }),
  ];
}

/** Version 1 returns an empty list for a tag that does not exist. */
function emptyIfNotFound(invoke: Invoke): Invoke {
  return (call, method, request) =>
    invoke(call, method, request).catch((thrown) => {
      if (!(thrown instanceof WharfError) || thrown.code !== "NOT_FOUND") throw thrown;
      return create(method.output);
    });
}
