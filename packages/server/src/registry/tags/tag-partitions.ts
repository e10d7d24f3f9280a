import type { Message } from "@bufbuild/protobuf";
import type { ListTagsRequest, Tag } from "@wharf/contract";
import type { Partitions } from "../../engine/definition.ts";

/**
 * The kinds of tags that lists tell apart, as bits: what most people look for is none of them, and
 * in a repo of many years it is the smallest part.
 */
const REFERRER = 1;
const DATE = 2;
const EPOCH = 4;
const DEPRECATED = 8;

/** No name ends in a day and in a build. */
const ALL = Array.from({ length: 16 }, (_, part) => part).filter(
  (part) => (part & (DATE | EPOCH)) !== (DATE | EPOCH),
);

/**
 * Which kinds a tag is of, by its name.
 *
 * @example kindsOf("1.27-r3") // EPOCH
 */
export function kindsOf(name: string): number {
  const referrer = name.startsWith("sha256-") ? REFERRER : 0;
  const date = /-20[0-9]{6}$/.test(name) ? DATE : 0;
  const epoch = /-r[0-9]+$/.test(name) ? EPOCH : 0;
  return referrer | date | epoch;
}

/** Tags in parts, by kind and by whether they are deprecated. */
export const tagPartitions: Partitions<Tag> = {
  all: ALL,
  of: ({ name, deprecated }) => kindsOf(name) | (deprecated ? DEPRECATED : 0),
  requested(request: Message) {
    const list = request as ListTagsRequest;
    const hidden =
      (list.includeReferrers ? 0 : REFERRER) |
      (list.includeDates ? 0 : DATE) |
      (list.includeEpochs ? 0 : EPOCH);
    return ALL.filter((part) => {
      const deprecated = (part & DEPRECATED) !== 0;
      return (part & hidden) === 0 && (list.deprecated ?? deprecated) === deprecated;
    });
  },
};
