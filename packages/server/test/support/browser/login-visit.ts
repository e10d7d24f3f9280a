/** Visits of a real browser to the login of a world. */
import type { Browser, BrowserContextOptions, Request } from "playwright-core";
import { OAuthClient } from "../client/tokens.ts";
import { freePort } from "../server/free-port.ts";
import type { StoreKind } from "../server/test-server.ts";
import { World } from "../world/world.ts";
import { openPage, type WatchedPage } from "./browser.ts";

/**
 * A world whose pages come from a name: for a browser, the provider is then another site.
 *
 * @example const world = await startNamedWorld("sqlite");
 */
export async function startNamedWorld(store: StoreKind): Promise<World> {
  const port = await freePort();
  const flags = ["--listen", `127.0.0.1:${port}`, "--base-url", `http://localhost:${port}`];
  return World.start({ login: true, store, flags });
}

/** A page of a real browser, every address that it requested, and the tool that sent it. */
export interface Visit extends WatchedPage {
  readonly urls: readonly string[];
  readonly app: OAuthClient;
  /** The parameters that return to the tool, once the browser is there too. */
  arrival(): Promise<URLSearchParams>;
}

/** Pages of ended visits, by browser and site: a page in a new context costs the browser a process. */
const free = new WeakMap<Browser, Map<string, WatchedPage[]>>();

function freePages(browser: Browser, site: string): WatchedPage[] {
  const sites = free.get(browser) ?? new Map<string, WatchedPage[]>();
  free.set(browser, sites);
  const pages = sites.get(site) ?? [];
  sites.set(site, pages);
  return pages;
}

/**
 * A browser's visit to a world, which ends with the test: no visit has the cookies of another. Complaints are those about our pages:
 * the provider's are not ours.
 *
 * @example const { page, tool, complaints, urls } = await openVisit(t, browser, world);
 */
export async function openVisit(
  t: { after(work: () => Promise<void>): void },
  browser: Browser,
  world: World,
  options: BrowserContextOptions = {},
): Promise<Visit> {
  const { baseUrl } = world.server;
  // Contexts with options of their own are not shared.
  const pages = Object.keys(options).length === 0 ? freePages(browser, baseUrl) : undefined;
  const watched = pages?.pop() ?? (await openPage(browser, options, baseUrl));
  const { page, complaints } = watched;
  const app = await OAuthClient.start(baseUrl);
  const urls: string[] = [];
  const onRequest = (request: Request) => urls.push(request.url());
  page.on("request", onRequest);
  t.after(async () => {
    app.stop();
    page.off("request", onRequest);
    // The console may keep something in its tab.
    const isKept = pages !== undefined && !urls.some((url) => url.includes("/console/"));
    if (!isKept) return page.context().close();
    await page.context().clearCookies();
    complaints.length = 0;
    pages.push(watched);
  });
  const arrival = async () => {
    const callback = await app.callback();
    await page.waitForURL((url) => url.pathname === "/callback");
    return callback;
  };
  return { ...watched, urls, app, arrival };
}
