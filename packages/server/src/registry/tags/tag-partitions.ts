import type { Message } from "@bufbuild/protobuf";
import type { ListTagsRequest, Tag } from "@wharf/contract";
import type { Partitions } from "../../engine/definition.ts";

/**
 * Kinds of tags that lists can leave out, as bits of a partition number. Most lists want partition 0,
 * which in an old repo is the smallest.
 */
const REFERRER = 1;
const DATE = 2;
const EPOCH = 4;
const DEPRECATED = 8;

/** A name ends in a date or in an epoch, never in both. */
const ALL = Array.from({ length: 16 }, (_, partition) => partition).filter(
  (partition) => (partition & (DATE | EPOCH)) !== (DATE | EPOCH),
);

/** The kinds of a tag by its name. */
export function kindsOf(name: string): number {
  const referrer = name.startsWith("sha256-") ? REFERRER : 0;
  const date = /-20[0-9]{6}$/.test(name) ? DATE : 0;
  const epoch = /-r[0-9]+$/.test(name) ? EPOCH : 0;
  return referrer | date | epoch;
}

export const tagPartitions: Partitions<Tag> = {
  all: ALL,
  of: ({ name, deprecated }) => kindsOf(name) | (deprecated ? DEPRECATED : 0),
  requested(request: Message) {
    const list = request as ListTagsRequest;
    const hidden =
      (list.includeReferrers ? 0 : REFERRER) |
      (list.includeDates ? 0 : DATE) |
      (list.includeEpochs ? 0 : EPOCH);
    return ALL.filter((partition) => {
      const deprecated = (partition & DEPRECATED) !== 0;
      return (partition & hidden) === 0 && (list.deprecated ?? deprecated) === deprecated;
    });
  },
};
