import { lookup } from "node:dns/promises";
import { existsSync } from "node:fs";
import { connect as connectTcp, isIP, type Socket } from "node:net";
import { connect as connectTls, type TLSSocket } from "node:tls";
import type { Settings } from "../settings.ts";

/** How a step went, and what to do when it failed. */
export interface Finding {
  readonly check: string;
  readonly result: "passed" | "failed" | "skipped";
  readonly detail: string;
  readonly next?: string | undefined;
}

export interface Check {
  readonly name: string;
  /** What to do when it fails. */
  readonly next: string;
  /** Answers what was found; throws what is wrong. */
  run(settings: Settings, signal: AbortSignal): Promise<string>;
}

/** Longer than any healthy server takes, and as long as people wait. */
const PATIENCE_MS = 5_000;
/** What tokens and certificates put up with. */
const CLOCK_SKEW_S = 30;

const CHECKS: readonly Check[] = [
  {
    name: "config file",
    next: "mend the file, or take the key out",
    async run({ config }) {
      if (config.problem !== undefined) throw config.problem;
      return existsSync(config.path) ? config.path : `none at ${config.path}, defaults are used`;
    },
  },
  {
    name: "DNS",
    next: "check the name in platform.api, and that this machine can look names up (VPN?)",
    async run({ api }) {
      const host = hostOf(api);
      if (isIP(host)) return `${host} is an address`;
      const found = await lookup(host, { all: true });
      return `${host} is ${found.map(({ address }) => address).join(", ")}`;
    },
  },
  {
    name: "connection",
    next: "check the port in platform.api, that the server runs, and firewalls on the way",
    async run({ api }, signal) {
      const { port } = endpointOf(api);
      await opened(connectTcp({ host: hostOf(api), port }), "connect", signal);
      return `port ${port} is open`;
    },
  },
  {
    name: "TLS",
    next: "check the certificate; NODE_EXTRA_CA_CERTS names a file of further authorities",
    async run({ api }, signal) {
      const { port, secure } = endpointOf(api);
      if (!secure)
        return isLocal(api) ? "not used, on this machine" : "not used: tokens travel in the open";
      const host = hostOf(api);
      const options = { host, port, ...(isIP(host) ? {} : { servername: host }) };
      return opened(connectTls(options), "secureConnect", signal, (socket) => {
        const { issuer, valid_to } = (socket as TLSSocket).getPeerCertificate();
        return `certificate by ${issuer?.O ?? issuer?.CN ?? "unknown"}, valid until ${valid_to}`;
      });
    },
  },
  {
    name: "HTTP",
    next: "check that platform.api is a Wharf server, and that no proxy answers in its place",
    async run({ api }, signal) {
      const response = await ask(`${api}/readyz`, signal);
      if (response.status !== 200) throw new Error(`${api}/readyz answered ${response.status}`);
      return `${api} is ready`;
    },
  },
  {
    name: "issuer",
    next: "set platform.issuer to the server's --auth-url",
    async run({ issuer }, signal) {
      const url = `${issuer}/.well-known/openid-configuration`;
      const response = await ask(url, signal);
      if (response.status !== 200) throw new Error(`${url} answered ${response.status}`);
      const found = (await response.json().catch(() => ({}))) as { issuer?: string };
      if (found.issuer !== issuer) {
        throw new Error(`${url} is about ${found.issuer ?? "nobody"}, not ${issuer}`);
      }
      return `${issuer} issues tokens`;
    },
  },
  {
    name: "clock",
    next: "set this machine's clock: tokens are refused when it is wrong",
    async run({ api }, signal) {
      const response = await ask(`${api}/readyz`, signal);
      const theirs = Date.parse(response.headers.get("date") ?? "");
      if (Number.isNaN(theirs)) return "the server does not tell the time";
      const seconds = Math.round((Date.now() - theirs) / 1000);
      const detail = `${Math.abs(seconds)} s ${seconds < 0 ? "behind" : "ahead of"} the server's`;
      if (Math.abs(seconds) > CLOCK_SKEW_S) throw new Error(`this machine's clock is ${detail}`);
      return Math.abs(seconds) <= 1 ? "the same as the server's" : detail;
    },
  },
];

/**
 * Goes from check to check. After the first that fails, the others would fail for the same reason.
 */
export async function runChecks(settings: Settings, signal: AbortSignal): Promise<Finding[]> {
  const findings: Finding[] = [];
  let broken = false;
  for (const check of CHECKS) {
    const { name, next } = check;
    if (broken) {
      findings.push({ check: name, result: "skipped", detail: "not tried" });
      continue;
    }
    try {
      const limit = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]);
      findings.push({ check: name, result: "passed", detail: await check.run(settings, limit) });
    } catch (error) {
      signal.throwIfAborted();
      broken = name !== "issuer";
      findings.push({ check: name, result: "failed", detail: reasonOf(error as Error), next });
    }
  }
  return findings;
}

function reasonOf(error: Error): string {
  if (error.name === "TimeoutError") return `no answer within ${PATIENCE_MS / 1000} s`;
  const cause = error.cause as NodeJS.ErrnoException | undefined;
  const { message, code } = cause ?? (error as NodeJS.ErrnoException);
  return message || code || error.name;
}

function ask(url: string, signal: AbortSignal): Promise<Response> {
  return fetch(url, { signal, redirect: "manual" });
}

/** Waits for a socket to be open, looks at it, and closes it. */
function opened(
  socket: Socket,
  event: "connect" | "secureConnect",
  signal: AbortSignal,
  look: (socket: Socket) => string = () => "",
): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  socket.once(event, () => resolve(look(socket)));
  socket.once("error", reject);
  signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  return promise.finally(() => socket.destroy());
}

function hostOf(api: string): string {
  return new URL(api).hostname.replace(/^\[|\]$/g, "");
}

function isLocal(api: string): boolean {
  return ["localhost", "127.0.0.1", "::1"].includes(hostOf(api));
}

function endpointOf(api: string): { port: number; secure: boolean } {
  const { port, protocol } = new URL(api);
  const secure = protocol === "https:";
  return { secure, port: Number(port) || (secure ? 443 : 80) };
}
