import { lookup } from "node:dns/promises";
import { existsSync } from "node:fs";
import { connect as connectTcp, isIP, type Socket } from "node:net";
import { connect as connectTls, type TLSSocket } from "node:tls";
import type { Settings } from "../settings.ts";

/** The result of a check. */
export interface Finding {
  readonly check: string;
  readonly result: "passed" | "failed" | "skipped";
  readonly detail: string;
  readonly next?: string | undefined;
}

interface Check {
  readonly name: string;
  /** The next step if it fails. */
  readonly next: string;
  /** Returns a detail, or throws. */
  run(settings: Settings, signal: AbortSignal): Promise<string>;
}

const TIMEOUT_MS = 5_000;
/** The clock skew that token verification tolerates. */
const MAX_CLOCK_SKEW_S = 30;

const CHECKS: readonly Check[] = [
  {
    name: "config file",
    next: "fix the file, or remove the key",
    async run({ config }) {
      if (config.problem !== undefined) throw config.problem;
      return existsSync(config.path) ? config.path : `no file at ${config.path}, using defaults`;
    },
  },
  {
    name: "DNS",
    next: "check the host in platform.api, and that this machine can resolve it (VPN?)",
    async run({ api }) {
      const host = hostOf(api);
      if (isIP(host)) return `${host} is an IP address`;
      const found = await lookup(host, { all: true });
      return `${host} resolves to ${found.map(({ address }) => address).join(", ")}`;
    },
  },
  {
    name: "connection",
    next: "check the port in platform.api, that the server runs, and firewalls",
    async run({ api }, signal) {
      const { port } = endpointOf(api);
      await opened(connectTcp({ host: hostOf(api), port }), "connect", signal);
      return `port ${port} is open`;
    },
  },
  {
    name: "TLS",
    next: "check the certificate; NODE_EXTRA_CA_CERTS adds certificate authorities from a file",
    async run({ api }, signal) {
      const { port, secure } = endpointOf(api);
      if (!secure)
        return isLocal(api) ? "not used, on this machine" : "not used: tokens are sent unencrypted";
      const host = hostOf(api);
      const options = { host, port, ...(isIP(host) ? {} : { servername: host }) };
      return opened(connectTls(options), "secureConnect", signal, (socket) => {
        const { issuer, valid_to } = (socket as TLSSocket).getPeerCertificate();
        return `certificate issued by ${issuer?.O ?? issuer?.CN ?? "unknown"}, valid until ${valid_to}`;
      });
    },
  },
  {
    name: "HTTP",
    next: "check that platform.api is a Wharf server, not a proxy",
    async run({ api }, signal) {
      const response = await get(`${api}/readyz`, signal);
      if (response.status !== 200) throw new Error(`${api}/readyz returned ${response.status}`);
      return `${api} is ready`;
    },
  },
  {
    name: "issuer",
    next: "set platform.issuer to the server's --auth-url",
    async run({ issuer }, signal) {
      const url = `${issuer}/.well-known/openid-configuration`;
      const response = await get(url, signal);
      if (response.status !== 200) throw new Error(`${url} returned ${response.status}`);
      const found = (await response.json().catch(() => ({}))) as { issuer?: string };
      if (found.issuer !== issuer) {
        throw new Error(`the issuer in ${url} is ${found.issuer ?? "missing"}, not ${issuer}`);
      }
      return `${issuer} issues tokens`;
    },
  },
  {
    name: "clock",
    next: "set this machine's clock: tokens are rejected if it is wrong",
    async run({ api }, signal) {
      const response = await get(`${api}/readyz`, signal);
      const theirs = Date.parse(response.headers.get("date") ?? "");
      if (Number.isNaN(theirs)) return "the server sends no Date header";
      const seconds = Math.round((Date.now() - theirs) / 1000);
      const detail = `${Math.abs(seconds)} s ${seconds < 0 ? "behind" : "ahead of"} the server`;
      if (Math.abs(seconds) > MAX_CLOCK_SKEW_S)
        throw new Error(`this machine's clock is ${detail}`);
      return Math.abs(seconds) <= 1 ? "in sync with the server" : detail;
    },
  },
];

/** Runs the checks in order. After a failure, later checks would fail for the same reason. */
export async function runChecks(settings: Settings, signal: AbortSignal): Promise<Finding[]> {
  const findings: Finding[] = [];
  let isBroken = false;
  for (const check of CHECKS) {
    const { name, next } = check;
    if (isBroken) {
      findings.push({ check: name, result: "skipped", detail: "not checked" });
      continue;
    }
    try {
      const limit = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
      findings.push({ check: name, result: "passed", detail: await check.run(settings, limit) });
    } catch (error) {
      signal.throwIfAborted();
      isBroken = name !== "issuer";
      findings.push({ check: name, result: "failed", detail: reasonOf(error as Error), next });
    }
  }
  return findings;
}

function reasonOf(error: Error): string {
  if (error.name === "TimeoutError") return `timed out after ${TIMEOUT_MS / 1000} s`;
  const cause = error.cause as NodeJS.ErrnoException | undefined;
  const { message, code } = cause ?? (error as NodeJS.ErrnoException);
  return message || code || error.name;
}

function get(url: string, signal: AbortSignal): Promise<Response> {
  return fetch(url, { signal, redirect: "manual" });
}

/** Waits for a connection, inspects it, and closes it. */
function opened(
  socket: Socket,
  event: "connect" | "secureConnect",
  signal: AbortSignal,
  inspect: (socket: Socket) => string = () => "",
): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  socket.once(event, () => resolve(inspect(socket)));
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
