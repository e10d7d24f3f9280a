import { compareDigits, versionOrder } from "./order.ts";

interface DebianVersion {
  readonly epoch: string;
  readonly upstream: string;
  /** Empty if there is none, which equals 0. */
  readonly revision: string;
}

/** Only after an epoch may a colon be part of the version. */
const VERSION = /^(?:(\d+):[A-Za-z\d.+~:-]+|[A-Za-z\d.+~-]+)$/;

/** The epoch ends at the first colon, the revision begins after the last hyphen (deb-version(7)). */
function parse(text: string): DebianVersion | undefined {
  const found = VERSION.exec(text);
  if (found === null) return undefined;
  const [, epoch = ""] = found;
  const rest = epoch === "" ? text : text.slice(epoch.length + 1);
  const hyphen = rest.lastIndexOf("-");
  if (hyphen === -1) return { epoch, upstream: rest, revision: "" };
  return { epoch, upstream: rest.slice(0, hyphen), revision: rest.slice(hyphen + 1) };
}

/** Compares texts and numbers in turn. */
function comparePart(one: string, other: string): number {
  let [left, right] = [0, 0];
  while (left < one.length || right < other.length) {
    while (isText(one, left) || isText(other, right)) {
      const order = weight(one, left++) - weight(other, right++);
      if (order !== 0) return order;
    }
    const [a, b] = [digitsAt(one, left), digitsAt(other, right)];
    const order = compareDigits(a, b);
    if (order !== 0) return order;
    left += a.length;
    right += b.length;
  }
  return 0;
}

function isText(text: string, at: number): boolean {
  return at < text.length && !isDigit(text, at);
}

function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 48 && code <= 57;
}

/** Tildes precede the end of a text, which precedes letters, which precede all others. */
function weight(text: string, at: number): number {
  if (!isText(text, at)) return 0;
  const character = text[at] as string;
  if (character === "~") return -1;
  return character.charCodeAt(0) + (/[A-Za-z]/.test(character) ? 0 : 256);
}

function digitsAt(text: string, from: number): string {
  let to = from;
  while (isDigit(text, to)) to++;
  return text.slice(from, to);
}

/** Debian, Ubuntu and others: dpkg. */
export const deb = versionOrder(
  "deb",
  parse,
  (one, other) =>
    compareDigits(one.epoch, other.epoch) ||
    comparePart(one.upstream, other.upstream) ||
    comparePart(one.revision, other.revision),
);
