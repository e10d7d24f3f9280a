import {
  type Browser,
  type BrowserContextOptions,
  type BrowserServer,
  chromium,
  type Page,
} from "playwright-core";

/** Many times what a page needs on an idle machine. */
const TIMEOUT_MS = 120_000;

/** Chromium without windows: pages cost half as much processor time as in the one that people use. */
const CHROMIUM = process.env.CHROMIUM ?? "/usr/lib/chromium/chromium-headless-shell";

const FLAGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  // A process for each page costs a fifth more.
  "--renderer-process-limit=1",
];

/** External host names do not resolve, so requests to them fail immediately. */
const NO_HOSTS = "MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1, EXCLUDE [::1]";

/** The variable in which a run of many test files passes the address of the browser that they share. */
const SHARED = "WHARF_TEST_BROWSER";

const launchOptions = (hosts: string) => ({
  executablePath: CHROMIUM,
  args: [...FLAGS, `--host-resolver-rules=${hosts}`],
  timeout: TIMEOUT_MS,
});

/** Starts a browser for all the processes that this one starts from now on. */
export async function shareBrowser(): Promise<BrowserServer> {
  const server = await chromium.launchServer(launchOptions(NO_HOSTS));
  process.env[SHARED] = server.wsEndpoint();
  return server;
}

/** A real browser, shared or launched; contexts keep tests apart. The caller closes it. */
export function launchBrowser(): Promise<Browser> {
  const shared = process.env[SHARED];
  if (shared) return chromium.connect(shared, { timeout: TIMEOUT_MS });
  return chromium.launch(launchOptions(NO_HOSTS));
}

/**
 * A browser of its own, in which host names stand for this machine: for tests about sites and subdomains.
 *
 * @example const browser = await launchBrowserWith(["wharf.example", "*.wharf.example"]);
 */
export function launchBrowserWith(hosts: readonly string[]): Promise<Browser> {
  const mapped = hosts.map((host) => `MAP ${host} 127.0.0.1`);
  return chromium.launch(launchOptions([...mapped, NO_HOSTS].join(", ")));
}

/** A page, and everything that the browser complained about on it. */
export interface WatchedPage {
  readonly page: Page;
  /** Errors in the console, errors of scripts, requests that failed, violations of the policy. */
  readonly complaints: string[];
}

/**
 * A page in a context of its own (cookies, storage), watched for complaints: of every site, or of one.
 *
 * @example const { page, complaints } = await openPage(browser, { colorScheme: "dark" });
 */
export async function openPage(
  browser: Browser,
  options: BrowserContextOptions = {},
  site = "",
): Promise<WatchedPage> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  page.setDefaultTimeout(TIMEOUT_MS);
  const complaints: string[] = [];
  page.on("console", (message) => {
    const bad = message.type() === "error" || message.type() === "warning";
    if (bad && message.location().url.startsWith(site)) complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("requestfailed", (request) => {
    const problem = request.failure()?.errorText;
    // Navigating away before the page is complete aborts it.
    if (!request.url().startsWith(site) || problem === "net::ERR_ABORTED") return;
    complaints.push(`${request.url()}: ${problem}`);
  });
  await page.addInitScript(
    `addEventListener("securitypolicyviolation", (event) =>
      console.error("policy: " + event.violatedDirective + " " + event.blockedURI))`,
  );
  return { page, complaints };
}

/** An authenticator inside the browser, as a phone or a laptop has one. */
export interface Authenticator {
  /** The number of passkeys that it has. */
  count(): Promise<number>;
  /** Whether the person's finger or PIN will be right. */
  verifies(verified: boolean): Promise<void>;
  remove(): Promise<void>;
}

/**
 * Gives a page an authenticator that holds passkeys and agrees to everything. The page must come
 * from a name, so `http://localhost:<port>`, not 127.0.0.1.
 *
 * @example const authenticator = await addAuthenticator(page);
 */
export async function addAuthenticator(page: Page): Promise<Authenticator> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("WebAuthn.enable");
  const { authenticatorId } = await devtools.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return {
    async count() {
      const { credentials } = await devtools.send("WebAuthn.getCredentials", { authenticatorId });
      return credentials.length;
    },
    async verifies(isUserVerified) {
      await devtools.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified });
    },
    async remove() {
      await devtools.send("WebAuthn.removeVirtualAuthenticator", { authenticatorId });
    },
  };
}
