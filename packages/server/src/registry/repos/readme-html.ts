/*
 * The HTML that a README may contain. Markdown passes HTML through, so HTML outside of an allowlist is
 * rejected at write time, and pages need not sanitize. The rule is strict: a "<" that could begin a tag
 * must begin an allowed tag in plain spelling, or an autolink. It applies to code too, because parsers
 * disagree on where code ends.
 */

export interface UnsafeHtml {
  readonly line: number;
  /** Its first characters. */
  readonly text: string;
}

const TAGS = new Set(
  `a abbr b blockquote br caption cite code dd del details dfn div dl dt em figcaption figure h1 h2
  h3 h4 h5 h6 hr i img ins kbd li mark ol p picture pre q s samp small span strong sub summary sup
  table tbody td tfoot th thead tr tt u ul var wbr`.split(/\s+/),
);

/** Attributes without URLs. */
const ATTRIBUTES = new Set(
  "align alt colspan height lang open rowspan scope start title valign width".split(" "),
);

/** Attributes with URLs, and the tags that may have them. */
const URL_ATTRIBUTES: Readonly<Record<string, string>> = {
  href: "a",
  src: "img",
  cite: "blockquote",
};

/** A "<" that may begin a tag, a comment or a declaration, for Markdown or a browser. */
const OPENINGS = /<(?=[a-zA-Z/!?])/g;

const TAG = /<(\/?)([a-zA-Z][a-zA-Z0-9]*)((?:\s+[a-zA-Z]+(?:="[^"<>]*")?)*)\s*\/?>/y;

const ATTRIBUTE = /([a-zA-Z]+)(?:="([^"<>]*)")?/g;

/** A Markdown autolink: a URL or mail address in angle brackets. */
const AUTOLINK = /<(?:https?:\/\/[^\s<>"'`]*|[a-zA-Z0-9.+_-]+@[a-zA-Z0-9.-]+)>/y;

/**
 * HTTP URLs, mail addresses, and relative URLs. A URL that begins with two slashes names a host; browsers read a
 * backslash as a slash, and skip tabs and line breaks between them.
 */
const SAFE_URL = /^(?:https?:\/\/|mailto:|#|\.{0,2}\/(?![/\\\s])|[a-zA-Z0-9_.-]+(?:[/#?]|$))/;

/** The first HTML that is not allowed: `{ line: 2, text: "<script>" }` in "# Hi\n<script>". */
export function unsafeHtml(markdown: string): UnsafeHtml | undefined {
  for (const { index } of markdown.matchAll(OPENINGS)) {
    if (isAutolink(markdown, index) || isAllowedTag(markdown, index)) continue;
    const line = markdown.slice(0, index).split("\n").length;
    return { line, text: markdown.slice(index, index + 40).split("\n")[0] ?? "" };
  }
  return undefined;
}

function isAutolink(markdown: string, index: number): boolean {
  AUTOLINK.lastIndex = index;
  return AUTOLINK.test(markdown);
}

function isAllowedTag(markdown: string, index: number): boolean {
  TAG.lastIndex = index;
  const [, closing, name = "", attributes = ""] = TAG.exec(markdown) ?? [];
  const tag = name.toLowerCase();
  if (!TAGS.has(tag)) return false;
  if (closing === "/") return attributes === "";
  for (const [, attribute = "", value = ""] of attributes.matchAll(ATTRIBUTE)) {
    const key = attribute.toLowerCase();
    if (!ATTRIBUTES.has(key) && !(URL_ATTRIBUTES[key] === tag && isSafeUrl(value))) return false;
  }
  return true;
}

/** Entities could hide a scheme, so only "&amp;" is allowed. */
function isSafeUrl(value: string): boolean {
  const url = value.replaceAll("&amp;", "&");
  return SAFE_URL.test(url) && !/&[a-zA-Z#]+;?/.test(url.replace(/&[a-zA-Z0-9_]+=/g, ""));
}
