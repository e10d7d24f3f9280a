import { create } from "@bufbuild/protobuf";
import { timestampFromMs, timestampMs } from "@bufbuild/protobuf/wkt";
import {
  type Advisory,
  type AdvisoryDocument,
  AdvisorySchema,
  AdvisorySourceSchema,
} from "@wharf/contract/messages";
import { describedAdvisory, isInEffect, keptRecord } from "../src/records/index.ts";

/** For tests: the advisories of a document as a server that imported them reads them. */
export function stored({ advisories, sources }: AdvisoryDocument): Advisory[] {
  const records = new Map(sources.map(({ osv }) => [osv?.id, osv]));
  return advisories.map((given) => {
    const advisory = create(AdvisorySchema, {
      ...given,
      events: given.events.map((event) => ({
        ...event,
        // Times have milliseconds.
        ...(event.createTime && { createTime: timestampFromMs(timestampMs(event.createTime)) }),
      })),
    });
    const { osv } = given.source ?? {};
    const shared = records.get(osv?.id);
    if (osv === undefined || shared === undefined) return advisory;
    const record = keptRecord(shared, osv.affected);
    const described = describedAdvisory(record);
    return create(AdvisorySchema, {
      ...advisory,
      source: create(AdvisorySourceSchema, {
        osv: record,
        inEffect: isInEffect(advisory, described),
      }),
    });
  });
}
