import { LayerFailure } from "../failure.ts";

/** The records of a pax header that matter here. */
export interface PaxRecords {
  readonly path?: string;
  readonly link?: string;
  readonly size?: number;
  /** A sparse file: its content is not that of the file. */
  readonly isSparse?: boolean;
}

const SPACE = 0x20;
const EQUALS = 0x3d;

/** Parses records of the form `LENGTH KEY=VALUE\n`, whose length includes itself. */
export function parsePax(bytes: Buffer): PaxRecords {
  const records: { -readonly [K in keyof PaxRecords]: PaxRecords[K] } = {};
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(SPACE, at);
    const length = space < 0 ? Number.NaN : Number(bytes.toString("latin1", at, space));
    const end = at + length;
    const equals = bytes.indexOf(EQUALS, space);
    if (!(end <= bytes.length && equals > space && equals < end)) {
      throw new LayerFailure("not_tar", "a pax header is malformed");
    }
    const key = bytes.toString("latin1", space + 1, equals);
    const value = () => bytes.toString("utf8", equals + 1, end - 1);
    if (key === "path" || key === "GNU.sparse.name") records.path = value();
    else if (key === "linkpath") records.link = value();
    else if (key === "size") records.size = sizeOf(value());
    if (key.startsWith("GNU.sparse.")) records.isSparse = true;
    at = end;
  }
  return records;
}

function sizeOf(text: string): number {
  const size = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isNaN(size)) throw new LayerFailure("not_tar", "a pax header has an invalid size");
  return size;
}
