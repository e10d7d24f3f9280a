/** A page as a browser without script or pictures has it. */
export interface Visited {
  readonly status: number;
  readonly url: string;
  readonly text: string;
  readonly headers: Headers;
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
type Sent = any;

/** More steps than any login has. */
const MAX_STEPS = 20;

/**
 * A browser reduced to what a login needs: cookies, redirects, forms. Fast enough for a table of
 * attacks, and it does what no real browser can be made to do.
 *
 * @example
 * const browser = new Walker();
 * const page = await browser.open(`${server.url}/oauth`);
 * await browser.submit(page, { organization: "acme" });
 */
export class HttpBrowser {
  readonly #cookies = new Map<string, Map<string, string>>();

  /** Opens an address and follows where it leads, up to an address that begins with `until`. */
  async open(address: string, until = "nowhere"): Promise<Visited> {
    return this.#go(address, { method: "GET" }, until);
  }

  /** Sends the form of a page whose action ends like this, with its hidden inputs. */
  async submit(
    page: Visited,
    fields: Readonly<Record<string, string>>,
    { action = "", until = "nowhere" } = {},
  ): Promise<Visited> {
    const form = formsOf(page.text).find((one) => one.action.endsWith(action));
    if (form === undefined) throw new Error(`no form for ${action} in ${page.text}`);
    const body = new URLSearchParams({ ...form.hidden, ...fields });
    return this.#go(new URL(form.action, page.url).href, { method: "POST", body }, until);
  }

  /** Sends JSON, as the script of a page would. */
  async send(
    address: string,
    body: object,
    more: Readonly<Record<string, string>> = {},
  ): Promise<{ status: number; body: Sent }> {
    const headers = { "content-type": "application/json", ...more };
    const init = { method: "POST", body: JSON.stringify(body), headers };
    const { status, text } = await this.#fetch(address, init);
    return { status, body: JSON.parse(text) };
  }

  /** The cookies of another browser of the same kind become those of this one. */
  takeCookies(other: HttpBrowser): void {
    for (const [host, cookies] of other.#cookies) this.#cookies.set(host, new Map(cookies));
  }

  /** Forgets all cookies, as another browser would not have them. */
  forget(): void {
    this.#cookies.clear();
  }

  async #go(address: string, init: RequestInit, until: string): Promise<Visited> {
    let at = address;
    let sent = init;
    for (let step = 0; step < MAX_STEPS; step++) {
      const page = await this.#fetch(at, sent);
      const next = page.headers.get("location") ?? refreshOf(page.text);
      if (next === undefined) return page;
      const target = new URL(next, at).href;
      if (target.startsWith(until)) return { ...page, url: target };
      at = target;
      sent = { method: "GET" };
    }
    throw new Error(`no end after ${MAX_STEPS} steps at ${at}`);
  }

  async #fetch(address: string, init: RequestInit): Promise<Visited> {
    const { host } = new URL(address);
    const known = this.#cookies.get(host) ?? new Map<string, string>();
    this.#cookies.set(host, known);
    const cookie = [...known].map(([name, value]) => `${name}=${value}`).join("; ");
    // Compressing costs more than the few bytes between processes of one machine.
    const plain = { "accept-encoding": "identity" };
    const headersSent = { ...plain, ...(init.headers as Record<string, string>), cookie };
    const response = await fetch(address, { ...init, redirect: "manual", headers: headersSent });
    for (const line of response.headers.getSetCookie()) {
      const [pair = ""] = line.split(";");
      const mark = pair.indexOf("=");
      known.set(pair.slice(0, mark), pair.slice(mark + 1));
    }
    const { status, headers } = response;
    return { status, url: address, text: await response.text(), headers };
  }
}

function refreshOf(text: string): string | undefined {
  const found = /<meta http-equiv="refresh" content="0;url=([^"]*)">/.exec(text)?.[1];
  return found === undefined ? undefined : unescapeHtml(found);
}

function formsOf(text: string): { action: string; hidden: Record<string, string> }[] {
  return [...text.matchAll(/<form([^>]*)>(.*?)<\/form>/gs)].map(([, attributes, body]) => {
    const inputs = [...(body ?? "").matchAll(/<input[^>]*type="hidden"[^>]*>/g)].map(([tag]) => {
      return [attribute(tag, "name"), attribute(tag, "value")] as const;
    });
    return { action: attribute(attributes ?? "", "action"), hidden: Object.fromEntries(inputs) };
  });
}

function attribute(tag: string, name: string): string {
  return unescapeHtml(new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1] ?? "");
}

function unescapeHtml(text: string): string {
  const named: Record<string, string> = {
    "&amp;": "&",
    "&lt;": "<",
    "&gt;": ">",
    "&quot;": '"',
    "&#39;": "'",
  };
  return text.replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => named[entity] ?? entity);
}
