/** What pages of other origins try. They run in those pages, so they are text: there are no types of a browser here. */

/** What the console and its session are at. */
export const TOKEN = "/console/session/token";
export const END = "/console/session/end";

const PATHS = [
  ...[TOKEN, END, "/console/sign-in?again=true&", "/console/account/password"],
  ...["/console/account/passkeys/options", "/console/account/passkeys/remove"],
  ...["/iam/v2beta1/groups", "/auth/v1/sessions", "/auth/v1/logout"],
];

/** Paths that a page without a request of its own loads as something else. */
const LOADED = [TOKEN, "/console/", "/auth/v1/sessions", "/iam/v2beta1/groups"];

/**
 * Sends whatever a script can send with the cookies of another origin; returns what it could read, with the path.
 *
 * @example const read = await page.evaluate<string[]>(readsOf(target, "by=sibling", group));
 */
export function readsOf(target: string, mark: string, group: string): string {
  return `(async () => {
    const read = [];
    const url = (path) => ${JSON.stringify(target)} + path + (path.includes("?") ? "" : "?") + ${JSON.stringify(mark)};
    const attempt = async (what, run) => {
      // The browser rejects it, or withholds the answer.
      const text = await run().catch(() => "");
      if (text) read.push(what + " " + text.slice(0, 300));
    };
    const fetched = async (path, init) => {
      const response = await fetch(url(path), { credentials: "include", ...init });
      return response.type === "opaque" || response.type === "opaqueredirect" ? "" : response.text();
    };
    for (const path of ${JSON.stringify(PATHS)}) {
      for (const mode of ["cors", "no-cors", "same-origin"]) {
        await attempt("GET " + path, () => fetched(path, { mode }));
        await attempt("POST " + path, () => fetched(path, { mode, method: "POST", body: "{}" }));
      }
      const json = { "content-type": "application/json" };
      const other = { authorization: "Bearer none", origin: ${JSON.stringify(target)} };
      await attempt("POST " + path, () => fetched(path, { method: "POST", headers: json, body: "{}" }));
      await attempt("POST " + path, () => fetched(path, { method: "POST", headers: other }));
      await attempt("DELETE " + path, () => fetched(path, { method: "DELETE" }));
      await attempt("POST " + path, () => fetched(path, { method: "POST", redirect: "manual", keepalive: true }));
      if (!navigator.sendBeacon(url(path) + "&beacon", new Blob(["{}"], { type: "text/plain" }))) read.push("no beacon");
    }
    await attempt("EventSource", () => new Promise((resolve) => {
      const stream = new EventSource(url("/events/v2beta1/events/${group}:watch"), { withCredentials: true });
      stream.onmessage = ({ data }) => resolve(data);
      stream.onopen = () => resolve("open");
      stream.onerror = () => { stream.close(); resolve(""); };
    }));
    const loads = { script: "src", img: "src", link: "href", audio: "src" };
    for (const [name, attribute] of Object.entries(loads)) {
      for (const path of ${JSON.stringify(LOADED)}) {
        await attempt("<" + name + "> " + path, () => new Promise((resolve) => {
          const element = document.createElement(name);
          if (name === "link") element.rel = "stylesheet";
          element.onload = element.onloadeddata = () => resolve("loaded");
          element.onerror = () => resolve("");
          element[attribute] = url(path);
          document.body.append(element);
        }));
      }
    }
    return read;
  })()`;
}

/** Submits a form to another origin, in a frame or a window of this name. */
export function submits(
  action: string,
  frame: string,
  fields: Readonly<Record<string, string>> = {},
): string {
  return `(() => {
    const form = document.createElement("form");
    Object.assign(form, { method: "post", action: ${JSON.stringify(action)}, target: ${JSON.stringify(frame)} });
    for (const [name, value] of Object.entries(${JSON.stringify(fields)})) {
      form.append(Object.assign(document.createElement("input"), { type: "hidden", name, value }));
    }
    document.body.append(form);
    form.submit();
  })()`;
}

/** Shows a page of another origin in a frame of this name; resolves when the browser is done with it. */
export function frames(url: string, name: string): string {
  return `new Promise((resolve) => {
    const frame = document.createElement("iframe");
    Object.assign(frame, { name: ${JSON.stringify(name)}, src: ${JSON.stringify(url)}, onload: () => resolve() });
    document.body.append(frame);
  })`;
}

/** Cookies that a subdomain sets for the host above it, with a secret of the attacker's choice. */
export function tossedCookies(secret: string): string[] {
  const above = "Domain=wharf.example";
  return [
    `__Host-wharf_console=${secret}; ${above}; Path=/; Secure`,
    `__Host-wharf_console=${secret}; ${above}; Path=/console/session; Secure`,
    `__Host-wharf_login=${secret}; ${above}; Path=/; Secure`,
    `__host-wharf_console=${secret}; ${above}; Path=/; Secure`,
    `__Secure-wharf_console=${secret}; ${above}; Path=/; Secure`,
    // Sent as if its value were name and value.
    `=__Host-wharf_console=${secret}; ${above}; Path=/; Secure`,
    `wharf_console=${secret}; ${above}; Path=/; Secure`,
    // The longer path is sent first.
    `wharf_console=${secret}; ${above}; Path=/console/session; Secure`,
  ];
}
