import type { DescMethod } from "@bufbuild/protobuf";
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import type { Reply } from "../../rpc/call.ts";
import type { Encodings, Form } from "../../store/resources/rows.ts";

/** A row as JSON or in binary. */
export type Body = Encodings[Form];

/** The fields of a page beside its rows. */
export interface Envelope {
  readonly nextPageToken: string;
  readonly totalCount: number;
  readonly skipped: number;
}

/** The first rows that fit into one page, and at least one: a larger row is a page of its own. */
export function fitting(bodies: readonly Body[], maxBytes: number): readonly Body[] {
  let size = 0;
  const end = bodies.findIndex((body, at) => {
    size += body.length;
    return size > maxBytes && at > 0;
  });
  return end < 0 ? bodies : bodies.slice(0, end);
}

/**
 * A list response from encoded rows. Every list response has the rows as field 1, the page token as 2,
 * the total count as 3 and the skipped rows as 4.
 */
export function pageReply(
  method: DescMethod,
  { nextPageToken, totalCount, skipped }: Envelope,
  bodies: readonly Body[],
): Reply {
  const plural = method.output.fields[0]?.jsonName;
  return {
    json: () => {
      const envelope = `],"nextPageToken":"${nextPageToken}","totalCount":"${totalCount}","skipped":${skipped}}`;
      return joined(`{"${plural}":[`, bodies, envelope);
    },
    binary: () => {
      const writer = new BinaryWriter();
      for (const body of bodies) writer.tag(1, WireType.LengthDelimited).bytes(body as Uint8Array);
      if (nextPageToken !== "") writer.tag(2, WireType.LengthDelimited).string(nextPageToken);
      writer.tag(3, WireType.Varint).int64(totalCount);
      if (skipped !== 0) writer.tag(4, WireType.Varint).int32(skipped);
      return writer.finish();
    },
  };
}

/** Joins all parts at once: V8 would copy the rows once more to put texts around them. */
function joined(before: string, rows: readonly Body[], after: string): string {
  if (rows.length === 0) return before + after;
  const parts = [...rows];
  parts[0] = `${before}${parts[0]}`;
  parts[parts.length - 1] += after;
  return parts.join(",");
}
