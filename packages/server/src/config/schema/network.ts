import { countProblem, list, numberBetween, proxyProblem } from "../parse.ts";
import { MAX_WORKERS } from "../workers.ts";
import type { SettingTable } from "./setting.ts";

/** In MiB: one address gets nearly a quarter of it, which must hold the longest message. */
export const MIN_BODY_MEMORY = 32;

/** Connections, memory and processes. */
export const NETWORK = {
  errorDomain: {
    default: "iam.wharf.internal",
    value: "DOMAIN",
    help: "Domain in error details.",
  },
  tlsCert: {
    default: "",
    value: "FILE",
    help: "PEM certificate chain. With it, the port speaks TLS only.",
  },
  tlsKey: { default: "", value: "FILE", help: "PEM private key of the certificate." },
  trustedProxies: {
    default: "",
    value: "RANGES",
    help: "Proxies in front of the server whose X-Forwarded-For is trusted: addresses or ranges, separated by commas.",
    problem: (text) => list(text).map(proxyProblem).find(Boolean),
  },
  maxConnections: {
    default: "10000",
    value: "NUMBER",
    help: "Maximum of open connections; beyond it, the idlest connection of the address with the most is closed.",
    problem: countProblem,
  },
  maxConnectionsPerAddress: {
    default: "1000",
    value: "NUMBER",
    help: "Maximum of open connections per client address (IPv6: per /64), except trusted proxies.",
    problem: countProblem,
  },
  maxBodyMemory: {
    default: "",
    value: "MIB",
    help: "Memory for all request bodies, in MiB; requests beyond it get 503 with Retry-After. Default: an eighth of the memory of the process, from 32 to 256.",
    problem: (text) =>
      text === "" || (/^\d{1,6}$/.test(text) && Number(text) >= MIN_BODY_MEMORY)
        ? undefined
        : `must be a number of MiB from ${MIN_BODY_MEMORY}`,
  },
  workers: {
    default: "",
    value: "NUMBER",
    help: "Processes that serve requests, on one port. Default: one per core beyond the first, at most 8 (4 with PostgreSQL), and one per 512 MiB of memory.",
    problem: (text) => (text === "" ? undefined : numberBetween(1, MAX_WORKERS)(text)),
  },
  shutdownDelay: {
    default: "3",
    value: "SECONDS",
    help: "How long the server keeps serving after SIGTERM while /readyz fails, so that balancers stop using it.",
    problem: numberBetween(0, 300, " of seconds"),
  },
} satisfies SettingTable;
