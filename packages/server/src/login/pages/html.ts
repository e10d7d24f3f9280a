/**
 * HTML templates that are safe from injection: all values are escaped, and only safe URLs are emitted.
 * Pages must not produce markup in any other way.
 */

let make: (text: string) => Html;

/** Safe markup. Only this file can create it, so untrusted text is never mistaken for markup. */
export class Html {
  readonly #text: string;

  private constructor(text: string) {
    this.#text = text;
  }

  toString(): string {
    return this.#text;
  }

  static {
    make = (text) => new Html(text);
  }
}

/** A value of a template. `false`, `null` and `undefined` render as nothing. */
export type Part = Html | string | number | false | null | undefined | readonly Part[];

const ESCAPES: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

const URL_ATTRIBUTES = ["href", "action", "formaction", "src"];
const OPENS_URL = new RegExp(`\\s(?:${URL_ATTRIBUTES.join("|")})="$`, "i");

/**
 * Escapes all values except markup and lists of markup. A value at the start of a URL attribute
 * (`href`, `action`, `formaction`, `src`) must be a safe URL.
 */
export function html(literals: TemplateStringsArray, ...parts: readonly Part[]): Html {
  let text = literals[0] ?? "";
  parts.forEach((part, index) => {
    const before = literals[index] ?? "";
    // Without quotes, a space in the value would start another attribute.
    if (/\s[\w:-]+=$/.test(before)) throw new Error(`attribute without quotes: ${before}`);
    text += OPENS_URL.test(before) ? escapeText(safeUrl(flatten(part))) : render(part);
    text += literals[index + 1] ?? "";
  });
  return make(text);
}

/** Renders attributes: `true` as a bare name, `false` and `undefined` as nothing. */
export function attributes(
  values: Readonly<Record<string, string | number | boolean | undefined>>,
): Html {
  let text = "";
  for (const [name, value] of Object.entries(values)) {
    if (!/^[a-z][a-z0-9-]*$/.test(name) || name.startsWith("on"))
      throw new Error(`not an attribute for a page: ${name}`);
    if (value === false || value === undefined) continue;
    if (value === true) text += ` ${name}`;
    else {
      const safe = URL_ATTRIBUTES.includes(name) ? safeUrl(String(value)) : String(value);
      text += ` ${name}="${escapeText(safe)}"`;
    }
  }
  return make(text);
}

/** The URL itself if it is http, https or a path of this site; otherwise `#`. */
export function safeUrl(address: string): string {
  if (/^https?:\/\//i.test(address)) return URL.parse(address)?.href ?? "#";
  // Browsers drop tabs and newlines and treat \ as /, so let a URL parser resolve the path.
  const here = "http://this.invalid";
  const path = address.startsWith("/") && URL.parse(address, here)?.origin === here;
  return path ? address : "#";
}

function render(part: Part): string {
  if (part instanceof Html) return part.toString();
  if (Array.isArray(part)) return part.map(render).join("");
  return escapeText(flatten(part));
}

function flatten(part: Part): string {
  return part === false || part === null || part === undefined ? "" : String(part);
}

function escapeText(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? "");
}
