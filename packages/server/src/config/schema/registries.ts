import { hostProblem, list, registryUrlProblem } from "../parse.ts";
import type { SettingTable } from "./setting.ts";

/** The registry of this server, and attached ones. */
export const REGISTRIES = {
  registryHost: {
    default: "",
    value: "HOST",
    help: "Host of the registry, and audience of tokens for it.",
    problem: (text) => (text === "" ? undefined : hostProblem(text)),
  },
  registryStorage: {
    default: "",
    value: "DIR|off",
    help: "Folder of the registry's content, which all replicas share. Default: DIR/registry. off: no registry.",
  },
  registryMinFree: {
    default: "1024",
    value: "MIB",
    help: "Free space of that folder's disk below which pushes are refused.",
    problem: (text) => (/^\d{1,9}$/.test(text) ? undefined : "must be a number of MiB"),
  },
  registryScrubRate: {
    default: "4",
    value: "MIB",
    help: "MiB per second at which stored content is read again to find damage. 0: never.",
    problem: (text) => (/^\d{1,6}$/.test(text) ? undefined : "must be a number of MiB"),
  },
  registryGcMinutes: {
    default: "60",
    value: "MINUTES",
    help: "Interval at which content is deleted that no image needs any more. 0: on demand only.",
    problem: (text) => (/^\d{1,5}$/.test(text) ? undefined : "must be a number of minutes"),
  },
  exposureLayers: {
    default: "on",
    value: "on|off",
    help: "Whether packages are read from layers of images without SBOM, in the registry of this server.",
    problem: (text) => (/^(on|off)$/.test(text) ? undefined : "must be on or off"),
  },
  registries: {
    default: "",
    value: "HOSTS",
    help: "Hosts of further registries that tokens are issued for, separated by commas.",
    problem: (text) => list(text).map(hostProblem).find(Boolean),
  },
  registryUrls: {
    default: "",
    value: "HOST=URL,…",
    help: "Attached registries, and the URL at which the server reaches each.",
    problem: (text) => list(text).map(registryUrlProblem).find(Boolean),
  },
  reconcileMinutes: {
    default: "15",
    value: "MINUTES",
    help: "Interval of reconcile passes over attached registries; 0 for on demand only.",
    problem: (text) => (/^\d{1,5}$/.test(text) ? undefined : "must be a number of minutes"),
  },
} satisfies SettingTable;
