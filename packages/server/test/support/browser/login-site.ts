/** The pages of the login by themselves, each with everything on it, on a site without a server behind it. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { confirmDevicePage, deviceCodePage, invitePage } from "../../../src/login/pages/consent.ts";
import { newAccountPage, resetPage, setupPage } from "../../../src/login/pages/enroll.ts";
import {
  PASSKEY_JS,
  PASSKEY_PATH,
  pageHeaders,
  STYLE_CSS,
  STYLE_PATH,
} from "../../../src/login/pages/layout.ts";
import { donePage, errorPage, welcomePage } from "../../../src/login/pages/messages.ts";
import { signInPage } from "../../../src/login/pages/sign-in.ts";

/** The content of a received post: a form's fields, or JSON. */
export interface Posted {
  readonly path: string;
  readonly body: Record<string, unknown>;
}

/** A page, a redirect, or JSON. */
export type Answer = string | { redirect: string } | { status?: number; json: unknown };

/**
 * Serves pages of the login and nothing else, and keeps what is posted. By name, not by number,
 * since passkeys ask for one.
 */
export class LoginSite {
  readonly url: string;
  /** Pages by path. */
  readonly pages = new Map<string, string>();
  readonly posts: Posted[] = [];
  /** Answers to posts by path; others get an empty page. */
  readonly answers = new Map<string, (body: never) => Answer | Promise<Answer>>();
  formTargets: string[] = [];
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
    this.url = `http://localhost:${(server.address() as AddressInfo).port}`;
    server.on("request", (request: IncomingMessage, response: ServerResponse) =>
      this.#answer(request, response).catch((thrown) => response.writeHead(500).end(`${thrown}`)),
    );
  }

  /**
   * @example const site = await LoginSite.start();
   */
  static async start(): Promise<LoginSite> {
    const server = createServer().listen(0, "localhost");
    await once(server, "listening");
    return new LoginSite(server);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? "", this.url);
    if (request.method === "POST") {
      const body = await bodyOf(request);
      this.posts.push({ path: pathname, body });
      const answer = (await this.answers.get(pathname)?.(body as never)) ?? "<!doctype html>";
      this.#send(response, answer);
    } else if (pathname === STYLE_PATH) {
      response.setHeader("content-type", "text/css").end(STYLE_CSS);
    } else if (pathname === PASSKEY_PATH) {
      response.setHeader("content-type", "text/javascript").end(PASSKEY_JS);
    } else {
      const page = this.pages.get(pathname);
      if (page === undefined) response.writeHead(404).end();
      else this.#send(response, page);
    }
  }

  #send(response: ServerResponse, answer: Answer): void {
    if (typeof answer === "string") {
      response.writeHead(200, pageHeaders({ formTargets: this.formTargets })).end(answer);
    } else if ("redirect" in answer) {
      response.writeHead(303, { location: answer.redirect }).end();
    } else {
      response.writeHead(answer.status ?? 200, { "content-type": "application/json" });
      response.end(JSON.stringify(answer.json));
    }
  }
}

async function bodyOf(request: IncomingMessage): Promise<Record<string, unknown>> {
  const text = Buffer.concat(await request.toArray()).toString("utf8");
  return request.headers["content-type"] === "application/json"
    ? JSON.parse(text)
    : Object.fromEntries(new URLSearchParams(text));
}

/** The ticket in the forms of the samples. */
export const TICKET = "ticket-1";

/**
 * Each page with everything on it, by path. `from` writes the texts that come from outside.
 *
 * @example samplePages(site.url, (text) => `<b>${text}</b>`)
 */
export function samplePages(
  passkeySite: string,
  from: (text: string) => string = (text) => text,
): Map<string, string> {
  const login = from(TICKET);
  const group = from("acme");
  const role = from("viewer");
  const error = from("Something was not right.");
  const username = from("ada");
  const organization = from("acme.example");
  return new Map([
    [
      "/choose",
      signInPage({
        login,
        organization,
        providers: [
          { uid: from("uid-1"), name: from("Keycloak"), organization },
          { uid: "uid-2", name: "Entra ID", organization: "A rather long name of an organization" },
        ],
        password: true,
        passkey: true,
        passkeySite,
        username,
        invite: { group, role, newAccount: true },
      }),
    ],
    [
      "/choose-error",
      signInPage({ login, error, providers: [], password: true, passkey: true, passkeySite }),
    ],
    [
      "/choose-provider",
      signInPage({
        login,
        providers: [{ uid: "uid-1", name: "Keycloak", organization: "acme.example" }],
        password: false,
        passkey: false,
      }),
    ],
    [
      "/choose-passkey",
      signInPage({ login, providers: [], password: false, passkey: true, passkeySite }),
    ],
    ["/choose-nothing", signInPage({ login, providers: [], password: false, passkey: false })],
    [
      "/choose-setup",
      signInPage({ login, providers: [], password: false, passkey: false, firstRun: true }),
    ],
    [
      "/invite",
      invitePage({
        login,
        group,
        role,
        email: from("ada@acme.example"),
        expires: new Date("2030-01-02T03:04:05Z"),
        signedInAs: username,
        localAccounts: true,
      }),
    ],
    ["/device-code", deviceCodePage({ login })],
    ["/device-code-error", deviceCodePage({ login, error, userCode: from("BCDFGHJK") })],
    [
      "/confirm",
      confirmDevicePage({
        login,
        signedInAs: username,
        code: from("BCDFGHJK"),
        client: from("wharf"),
        address: from("2001:db8::7"),
        userAgent: from(`wharf/1.0 ${"x".repeat(300)}`),
      }),
    ],
    ["/welcome-first", welcomePage({ firstRun: true, api: from("http://127.0.0.1:8080") })],
    ["/welcome-again", welcomePage({ firstRun: false, api: from("http://127.0.0.1:8080") })],
    ["/setup-first", setupPage({ passkeySite })],
    [
      "/setup-error",
      setupPage({ error, passkeySite, values: { code: from("a-code"), organization, username } }),
    ],
    ["/account", newAccountPage({ login, error, passkeySite, values: { username }, group, role })],
    ["/reset-first", resetPage({ passkeySite })],
    ["/reset-error", resetPage({ error, passkeySite, values: { code: from("a-code") } })],
    [
      "/done",
      donePage({
        title: from("Done"),
        text: from("Go back."),
        next: { label: from("On"), href: from("/on") },
        canClose: true,
        api: from("http://127.0.0.1:8080"),
      }),
    ],
    [
      "/error",
      errorPage({
        title: from("No"),
        text: error,
        requestId: from("id-1"),
        next: { label: from("Again"), href: from("/again") },
      }),
    ],
  ]);
}
