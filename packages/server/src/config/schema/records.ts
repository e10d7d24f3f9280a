import { readRecipient } from "../../lib/age/keys.ts";
import { parseCron } from "../../lib/cron.ts";
import { auditSinksProblem, countProblem, daysProblem, list } from "../parse.ts";
import type { SettingTable } from "./setting.ts";

/** Audit log, events and backups. */
export const RECORDS = {
  auditRetentionDays: {
    default: "400",
    value: "DAYS",
    help: "Retention of the audit log; 0 for ever.",
    problem: daysProblem,
  },
  auditSinks: {
    default: "",
    value: "URLS",
    help: "Where the audit log is sent: https://…, syslog+tls://… or file:///… URLs, separated by commas.",
    problem: auditSinksProblem,
  },
  auditSinkTokenFile: {
    default: "",
    value: "FILE",
    help: "Bearer token for https sinks of the audit log.",
  },
  eventRetentionDays: {
    default: "30",
    value: "DAYS",
    help: "Retention of events; 0 for ever.",
    problem: daysProblem,
  },
  privateSinks: {
    default: "",
    value: "URLS",
    help: "Origins that subscriptions may send events to, and vulnerability sources may read, without TLS and at addresses that are not public.",
    problem: (text) =>
      list(text).every((url) => /^https?:$/.test(URL.parse(url)?.protocol ?? ""))
        ? undefined
        : "must be http or https URLs, separated by commas",
  },
  eventTypePrefix: {
    default: "dev.chainguard",
    value: "PREFIX",
    help: "Beginning of the types of all events, by which existing receivers know them.",
    problem: (text) =>
      /^[a-z0-9]+(\.[a-z0-9-]+)*$/.test(text) ? undefined : "must be a reversed domain name",
  },
  backupSchedule: {
    default: "",
    value: "CRON",
    help: "When the server backs itself up, as five fields of cron in UTC, @hourly or @daily. Default: never.",
    problem: (text) =>
      text === "" || parseCron(text) !== undefined
        ? undefined
        : 'must be five fields of cron, such as "30 2 * * *", or @hourly, @daily or @weekly',
  },
  backupDir: {
    default: "",
    value: "DIR",
    help: "Directory for backups of the schedule, and of `wharf admin backup` without a file.",
  },
  backupKeep: {
    default: "7",
    value: "NUMBER",
    help: "Backups that are kept in that directory; older ones are deleted.",
    problem: countProblem,
  },
  backupRecipients: {
    default: "",
    value: "KEYS",
    help: "Public keys of age (age1…) that backups are encrypted for, separated by commas.",
    problem: (text) => {
      const other = list(text).find((key) => readRecipient(key) === undefined);
      return other === undefined ? undefined : `must be recipients of age; got ${other}`;
    },
  },
  backupPassphraseFile: {
    default: "",
    value: "FILE",
    help: "File with the passphrase that backups are encrypted with, instead of recipients.",
  },
} satisfies SettingTable;
