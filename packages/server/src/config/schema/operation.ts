import { DISTRIBUTIONS } from "@wharf/advisories/distributions";
import { LOG_LEVELS } from "../../observe/logger.ts";
import {
  countProblem,
  dateProblem,
  daysProblem,
  endpointProblem,
  isHeaderUrl,
  list,
  oneOf,
  parseListen,
} from "../parse.ts";
import type { SettingTable } from "./setting.ts";

/** Sign-in, version 1, feeds, and the observation of the server. */
export const OPERATION = {
  localAccounts: {
    default: "on",
    value: "on|off",
    help: "Whether people may sign in with a local password or passkey.",
    problem: oneOf("on", "off"),
  },
  scimWritesPerMinute: {
    default: "3000",
    value: "NUMBER",
    help: "SCIM writes per minute and identity provider.",
    problem: countProblem,
  },
  v1Deprecation: {
    default: "",
    value: "DATE",
    help: "Date from which version 1 of the API is deprecated; its responses then say so, and calls are counted.",
    problem: dateProblem,
  },
  v1Sunset: {
    default: "",
    value: "DATE",
    help: "Date from which version 1 may be removed; its responses then say so.",
    problem: dateProblem,
  },
  v1Guide: {
    default: "",
    value: "URL",
    help: "Migration guide for users of version 1; its responses link to it.",
    problem: (text) =>
      text === "" || isHeaderUrl(text) ? undefined : "must be an http or https URL",
  },
  feedDistributions: {
    default: "wolfi",
    value: "IDS",
    help: `Distributions of the packages in published advisories: ${DISTRIBUTIONS.join(", ")}.`,
    problem: (text) =>
      list(text).length > 0 && list(text).every((id) => DISTRIBUTIONS.includes(id))
        ? undefined
        : `must be some of ${DISTRIBUTIONS.join(", ")}, separated by commas`,
  },
  csafOpenpgpKey: {
    default: "",
    value: "FILE",
    help: "Armored OpenPGP private key, without passphrase, that signs CSAF documents of feeds. Default: no signatures.",
  },
  metricsListen: {
    default: "",
    value: "HOST:PORT",
    help: "Listen address for /metrics alone, which the main port then does not serve.",
    problem: (text) =>
      text === "" || parseListen(text) ? undefined : "must be HOST:PORT, such as 127.0.0.1:9090",
  },
  otlpEndpoint: {
    default: "",
    value: "URL",
    help: "Collector of OpenTelemetry that traces are sent to, by OTLP over HTTP. Default: no traces.",
    problem: (text) => (text === "" ? undefined : endpointProblem(text)),
    sharedVariable: "OTEL_EXPORTER_OTLP_ENDPOINT",
  },
  traceSampleRatio: {
    default: "1",
    value: "RATIO",
    help: "Share of requests without a trace of their own that are traced, from 0 to 1.",
    problem: (text) =>
      /^(0|1|0?\.\d{1,6}|1\.0*)$/.test(text) ? undefined : "must be a number from 0 to 1",
  },
  keyRotationDays: {
    default: "0",
    value: "DAYS",
    help: "Age at which the signing keys are rotated; 0 for never.",
    problem: daysProblem,
  },
  logFormat: {
    default: "auto",
    value: "FORMAT",
    help: "Format of log lines: json, text, or auto, which is text at a terminal.",
    problem: oneOf("auto", "json", "text"),
  },
  logLevel: {
    default: "info",
    value: "LEVEL",
    help: `Minimum level of log lines: ${LOG_LEVELS.join(", ")}.`,
    problem: oneOf(...LOG_LEVELS),
  },
} satisfies SettingTable;
