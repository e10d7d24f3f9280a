/**
 * Which HTML a README may hold. Markdown lets HTML through, so what is not known to be harmless is
 * refused when it is written, before any page has to be careful with it. The rule is strict: a "<"
 * that could begin a tag must begin one of these, spelt the plain way, or be an address in angle
 * brackets. It holds in code too, because programs disagree on where code ends.
 */

/** A piece of HTML that cannot stay. */
export interface UnsafeHtml {
  readonly line: number;
  /** How it begins. */
  readonly text: string;
}

const TAGS = new Set(
  `a abbr b blockquote br caption cite code dd del details dfn div dl dt em figcaption figure h1 h2
  h3 h4 h5 h6 hr i img ins kbd li mark ol p picture pre q s samp small span strong sub summary sup
  table tbody td tfoot th thead tr tt u ul var wbr`.split(/\s+/),
);

/** Attributes that only say how something looks, or what it is called. */
const ATTRIBUTES = new Set(
  "align alt colspan height lang open rowspan scope start title valign width".split(" "),
);

/** Attributes that hold an address, and the tags that may have them. */
const ADDRESSES: Readonly<Record<string, string>> = { href: "a", src: "img", cite: "blockquote" };

/** A "<" after which Markdown or a browser may see a tag, a comment or a declaration. */
const OPENINGS = /<(?=[a-zA-Z/!?])/g;

const TAG = /<(\/?)([a-zA-Z][a-zA-Z0-9]*)((?:\s+[a-zA-Z]+(?:="[^"<>]*")?)*)\s*\/?>/y;

const ATTRIBUTE = /([a-zA-Z]+)(?:="([^"<>]*)")?/g;

/** An address in angle brackets, which is Markdown. */
const AUTOLINK = /<(?:https?:\/\/[^\s<>"'`]*|[a-zA-Z0-9.+_-]+@[a-zA-Z0-9.-]+)>/y;

/** Addresses elsewhere over http, a mail address, or a place on the same site or page. */
const ADDRESS = /^(?:https?:\/\/|mailto:|#|\.{0,2}\/(?!\/)|[a-zA-Z0-9_.-]+(?:[/#?]|$))/;

/**
 * The first piece of HTML in a text that is not known to be harmless.
 *
 * @example unsafeHtml("# Hi\n<script>") // { line: 2, text: "<script>" }
 */
export function unsafeHtml(markdown: string): UnsafeHtml | undefined {
  for (const { index } of markdown.matchAll(OPENINGS)) {
    if (isAutolink(markdown, index) || isHarmlessTag(markdown, index)) continue;
    const line = markdown.slice(0, index).split("\n").length;
    return { line, text: markdown.slice(index, index + 40).split("\n")[0] ?? "" };
  }
  return undefined;
}

function isAutolink(markdown: string, index: number): boolean {
  AUTOLINK.lastIndex = index;
  return AUTOLINK.test(markdown);
}

function isHarmlessTag(markdown: string, index: number): boolean {
  TAG.lastIndex = index;
  const [, closing, name = "", attributes = ""] = TAG.exec(markdown) ?? [];
  const tag = name.toLowerCase();
  if (!TAGS.has(tag)) return false;
  if (closing === "/") return attributes === "";
  for (const [, attribute = "", value = ""] of attributes.matchAll(ATTRIBUTE)) {
    const key = attribute.toLowerCase();
    if (!ATTRIBUTES.has(key) && !(ADDRESSES[key] === tag && isHarmlessAddress(value))) return false;
  }
  return true;
}

/** Entities could spell what is not to be seen, so an address with any but "&amp;" is refused. */
function isHarmlessAddress(value: string): boolean {
  const address = value.replaceAll("&amp;", "&");
  return ADDRESS.test(address) && !/&[a-zA-Z#]+;?/.test(address.replace(/&[a-zA-Z0-9_]+=/g, ""));
}
