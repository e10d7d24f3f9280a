import { databaseUrlProblem } from "../database-url.ts";
import { parseListen, urlProblem } from "../parse.ts";
import type { SettingTable } from "./setting.ts";

/** Addresses, and where the server stores its data. */
export const ADDRESSES = {
  listen: {
    default: "127.0.0.1:8080",
    value: "HOST:PORT",
    help: "Listen address. The default is reachable from this machine only.",
    problem: (text) =>
      parseListen(text) ? undefined : "must be HOST:PORT, such as 127.0.0.1:8080",
  },
  data: {
    default: "./data",
    value: "DIR",
    help: "Directory of the embedded database, readable by the service's user only.",
  },
  databaseUrl: {
    default: "",
    value: "URL",
    help: "PostgreSQL database, for several replicas, instead of the embedded one.",
    problem: databaseUrlProblem,
  },
  secretKeyFile: {
    default: "",
    value: "FILE",
    help: "32 random bytes that seal stored keys and secrets. Default: DIR/secret.key, or a row in PostgreSQL.",
  },
  baseUrl: {
    default: "",
    value: "URL",
    help: "Address that clients use, and audience of tokens. Default: from listen.",
    problem: urlProblem,
  },
  authUrl: {
    default: "",
    value: "URL",
    help: "Issuer of tokens. Default: the base URL.",
    problem: urlProblem,
  },
} satisfies SettingTable;
