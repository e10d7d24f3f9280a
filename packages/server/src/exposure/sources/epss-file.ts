import { pipeline, Readable } from "node:stream";
import { zlib } from "../../lib/runtime/lazy-builtins.ts";
import { MILLION, type VulnerabilityFacts } from "../../store/tables/exposure/sources/facts.ts";
import { isGzip } from "../gzip.ts";
import { SourceError } from "./errors.ts";
import { linesOf } from "./lines.ts";
import { timeOf } from "./run.ts";

/** The probability that a vulnerability is exploited, and its percentile. */
export type EpssRow = Omit<VulnerabilityFacts, "exploited">;

/** A part of a file. */
export interface EpssPart {
  /** The time of the scores; undefined if the file does not say. */
  readonly time: number | undefined;
  readonly rows: readonly EpssRow[];
  /** Lines that are no rows. */
  readonly rejected: readonly string[];
}

/** Ten times the file of 2026, expanded. */
const MAX_BYTES = 128 * 1024 * 1024;
const MAX_LINES = 5_000_000;

const HEADER = "cve,epss,percentile";

/** Reads a file of FIRST, compressed by gzip or not. Throws if it is none, or not complete. */
export async function* readEpss(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<EpssPart> {
  let time: number | undefined;
  let isHeaderRead = false;
  let count = 0;
  for await (const lines of linesOf(expanded(chunks), tooLong)) {
    const rows: EpssRow[] = [];
    const rejected: string[] = [];
    count += lines.length;
    if (count > MAX_LINES)
      throw new SourceError("TOO_LARGE", `it has more than ${MAX_LINES} lines`);
    for (const line of lines) {
      if (line.startsWith("#")) time ??= timeOf(/score_date:([^,\s]+)/.exec(line)?.[1]);
      else if (!isHeaderRead) {
        if (line !== HEADER) throw invalid(`its first line is not ${HEADER}`);
        isHeaderRead = true;
      } else if (line !== "") {
        const row = rowOf(line);
        if (row === undefined) rejected.push(line);
        else rows.push(row);
      }
    }
    yield { time, rows, rejected };
  }
  if (!isHeaderRead) throw invalid("it is empty");
}

function rowOf(line: string): EpssRow | undefined {
  const [, name = "", epss, percentile] =
    /^(CVE-\d{4}-\d{4,}),([\d.]+(?:e-\d+)?),([\d.]+(?:e-\d+)?)$/.exec(line) ?? [];
  const [probability, rank] = [Number(epss), Number(percentile)];
  // Also false for NaN.
  if (!(probability <= 1 && rank <= 1)) return undefined;
  return {
    name,
    probability: Math.round(probability * MILLION),
    percentile: Math.round(rank * MILLION),
  };
}

async function* expanded(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const iterator = chunks[Symbol.asyncIterator]();
  const first = await iterator.next();
  async function* all() {
    if (!first.done) yield first.value;
    yield* { [Symbol.asyncIterator]: () => iterator };
  }
  const isCompressed = !first.done && isGzip(first.value);
  let size = 0;
  try {
    for await (const chunk of isCompressed ? gunzipped(all()) : all()) {
      size += chunk.length;
      if (size > MAX_BYTES)
        throw new SourceError("TOO_LARGE", `it expands to more than ${MAX_BYTES} bytes`);
      yield chunk;
    }
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    throw code.startsWith("Z_") ? invalid("it is not gzip, or not complete") : error;
  }
}

function gunzipped(chunks: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  return pipeline(Readable.from(chunks), zlib().createGunzip(), () => {});
}

function tooLong(): SourceError {
  return invalid("it has a line that is too long");
}

function invalid(why: string): SourceError {
  return new SourceError("INVALID_DATA", `it is no file of EPSS: ${why}`);
}
