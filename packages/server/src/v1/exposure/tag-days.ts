import { FindingStatus, InventoryState } from "@wharf/contract";
import type { FindingDetail } from "../../exposure/assessment/finding.ts";
import { tooLong } from "../../lib/errors.ts";
import type { Reader } from "../../store/db/connection.ts";
import { type FindingSpan, findingSpans } from "../../store/tables/exposure/findings/findings.ts";
import { type TagState, tagStates } from "../../store/tables/exposure/images/reported-images.ts";
import { imageFor } from "./images.ts";
import { DAY_MS, type FoundTag } from "./tag-references.ts";

/** Findings of all images that a tag had. */
const MAX_SPANS = 200_000;

/** A vulnerability of the image of a tag. */
export interface OpenVulnerability {
  readonly vulnerability: string;
  readonly severity: number;
  /** JSON (FindingDetail). */
  readonly detail: string;
}

/** The image of a tag at the end of a day, with its open vulnerabilities by name. */
export interface TagDay {
  readonly day: number;
  /** The digest of the image. */
  readonly digest: string;
  readonly open: ReadonlyMap<string, OpenVulnerability>;
}

/** When an accepted risk counts as open: in numbers of what is left to do it does not, in what was resolved it does. */
export interface CountOptions {
  readonly acceptedIsOpen: boolean;
}

/**
 * The days on which the image of a tag was known. It follows from the history of the tag, and from when the findings of its
 * images were seen first and resolved: no numbers are stored for days.
 */
export async function tagDays(
  reader: Reader,
  { uid, tag }: FoundTag,
  days: readonly number[],
  now: number,
  options: CountOptions,
): Promise<TagDay[]> {
  const ends = days.map((day) => Math.min(day + DAY_MS, now + 1));
  const states = await tagStates(reader, uid, tag, ends.at(-1) ?? 0);
  const digests = ends.map((end) => digestAt(states, end));
  const images = new Map<string, { readonly id: number; readonly digest: string }>();
  for (const digest of new Set(digests)) {
    const image = digest === "" ? undefined : await imageFor(reader, uid, digest);
    if (image?.state === InventoryState.KNOWN) images.set(digest, image);
  }
  const ids = [...images.values()].map(({ id }) => id);
  const spans = await findingSpans(reader, ids, MAX_SPANS + 1);
  if (spans.length > MAX_SPANS) throw tooLong("findings of the tag", MAX_SPANS);
  const byImage = Map.groupBy(spans, ({ image }) => image);
  return days.flatMap((day, at) => {
    const image = images.get(digests[at] as string);
    if (image === undefined) return [];
    const end = ends[at] as number;
    const open = (byImage.get(image.id) ?? []).filter((span) => isOpenAt(span, end, options));
    return [{ day, digest: image.digest, open: worstOf(open) }];
  });
}

function digestAt(states: readonly TagState[], end: number): string {
  return states.findLast(({ time }) => time < end)?.digest ?? "";
}

function isOpenAt(span: FindingSpan, end: number, options: CountOptions): boolean {
  return span.firstSeen < end && endOf(span, options) >= end;
}

/** A finding ends when it is resolved, or when it was decided that it is none. */
function endOf(span: FindingSpan, { acceptedIsOpen }: CountOptions): number {
  const { status, resolved, firstSeen, detail } = span;
  const isOpen =
    status === FindingStatus.AFFECTED ||
    status === FindingStatus.UNKNOWN ||
    (acceptedIsOpen && status === FindingStatus.ACCEPTED);
  const ends = [
    ...(resolved > 0 ? [resolved] : []),
    ...(isOpen ? [] : [decidedAt(detail) ?? firstSeen]),
  ];
  return ends.length === 0 ? Number.POSITIVE_INFINITY : Math.min(...ends);
}

function decidedAt(detail: string): number | undefined {
  const { decision } = JSON.parse(detail) as FindingDetail;
  return decision?.time || undefined;
}

/** Several packages may have a vulnerability: the most severe counts. */
function worstOf(spans: readonly FindingSpan[]): Map<string, OpenVulnerability> {
  const found = new Map<string, OpenVulnerability>();
  for (const one of spans) {
    const before = found.get(one.vulnerability);
    if (before === undefined || before.severity < one.severity) found.set(one.vulnerability, one);
  }
  return found;
}
