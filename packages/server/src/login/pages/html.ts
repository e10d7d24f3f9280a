/**
 * HTML that cannot be injected into: whatever is put into a template is escaped, and an address is
 * emitted only if following it stays harmless. No page writes markup in any other way.
 */

let make: (text: string) => Html;

/** Markup that is safe to emit. Only this file makes one, so text from outside never passes as one. */
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

/** What a template takes. Nothing is written for `false`, `null` and `undefined`. */
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
 * Escapes every value, wherever it stands; markup and lists of it pass through. A value that begins
 * an address (`href`, `action`, `formaction`, `src`) goes through `safeUrl`.
 */
export function html(literals: TemplateStringsArray, ...parts: readonly Part[]): Html {
  let text = literals[0] ?? "";
  parts.forEach((part, index) => {
    const before = literals[index] ?? "";
    // Without quotes, a space in the value would begin another attribute.
    if (/\s[\w:-]+=$/.test(before)) throw new Error(`attribute without quotes: ${before}`);
    text += OPENS_URL.test(before) ? escapeText(safeUrl(flatten(part))) : render(part);
    text += literals[index + 1] ?? "";
  });
  return make(text);
}

/** Attributes by name: `true` writes the name alone, `false` and `undefined` write nothing. */
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

/**
 * The address itself if it is a path of this site, or http or https; else `#`, which leads nowhere.
 */
export function safeUrl(address: string): string {
  if (/^https?:\/\//i.test(address)) return URL.parse(address)?.href ?? "#";
  // Browsers drop tabs and line ends, and take \ for /; their parser says where a path leads.
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
