const NEWLINE = 10;

/** Longer lines are no field of a package: those of files and descriptions are shorter. */
const MAX_LINE_BYTES = 64 * 1024;

/**
 * The lines of a text, without one string of all of it. Of a longer line, the start.
 *
 * @param hasLength Which lines matter, by their lengths in bytes: the others become no texts.
 */
export function* linesOf(
  bytes: Buffer,
  hasLength: (length: number) => boolean = () => true,
): Generator<string> {
  for (let at = 0; at < bytes.length; ) {
    const found = bytes.indexOf(NEWLINE, at);
    const next = found < 0 ? bytes.length : found;
    const end = Math.min(
      next > at && bytes[next - 1] === 13 ? next - 1 : next,
      at + MAX_LINE_BYTES,
    );
    if (hasLength(end - at)) yield bytes.toString("utf8", at, end);
    at = next + 1;
  }
}

/**
 * The paragraphs of a text of fields such as `Name: value`, as Debian and Python write them. Names are in lower case, and
 * continued lines are ignored: no field that matters here has any. Fields that repeat keep all values, one per line.
 */
export function* paragraphsOf(
  bytes: Buffer,
  names: ReadonlySet<string>,
): Generator<ReadonlyMap<string, string>> {
  let fields = new Map<string, string>();
  for (const line of linesOf(bytes)) {
    if (line === "") {
      if (fields.size > 0) yield fields;
      fields = new Map();
      continue;
    }
    const colon = line.indexOf(":");
    if (colon <= 0 || line.startsWith(" ") || line.startsWith("\t")) continue;
    const name = line.slice(0, colon).toLowerCase();
    if (!names.has(name)) continue;
    const value = line.slice(colon + 1).trim();
    const earlier = fields.get(name);
    fields.set(name, earlier === undefined ? value : `${earlier}\n${value}`);
  }
  if (fields.size > 0) yield fields;
}
