import type { Options } from "../options.ts";
import type { Section } from "../row.ts";
import { advisoryRowsOf } from "./advisories.ts";
import { archiveRow } from "./archive.ts";
import { auditChainRow } from "./audit.ts";
import { bindingRows } from "./bindings.ts";
import { checkAccessRows } from "./check-access.ts";
import { collectionRow } from "./collection.ts";
import { commandRow } from "./command.ts";
import { consoleRows } from "./console.ts";
import { createRow } from "./create.ts";
import { deliveriesRow, eventDelayRow, subscribedCreateRow } from "./events.ts";
import { exchangeRow } from "./exchange.ts";
import { exposureRows } from "./exposure.ts";
import { feedRow } from "./feeds.ts";
import { getGrpc } from "./get-grpc.ts";
import { getRestRows } from "./get-rest.ts";
import { importRow } from "./import.ts";
import { isolationRows } from "./isolation.ts";
import { listGrowthRow, listRows } from "./lists.ts";
import { memoryRow } from "./memory.ts";
import { noticeRow } from "./notice.ts";
import { ownRegistryRows } from "./own-registry.ts";
import { databaseRows } from "./peers/databases.ts";
import { oidcProviderRow } from "./peers/oidc-provider.ts";
import { postgresRows } from "./postgres.ts";
import { reconcileRow } from "./reconcile.ts";
import { registryTagsRow } from "./registry-tags.ts";
import { registryTokenRow } from "./registry-token.ts";
import { replicasRow, sharedRowsRow } from "./replicas.ts";
import { retentionRow } from "./retention.ts";
import { startRow } from "./start.ts";
import { versionRow } from "./version.ts";
import { workerRows } from "./workers.ts";
import { worstAdvisoryRows } from "./worst-advisories.ts";
import { worstAuditRow } from "./worst-audit.ts";
import { worstBindingsRow } from "./worst-bindings.ts";
import { worstGroupRows } from "./worst-groups.ts";

/** The rows of the table, by question. */
export function sectionsOf(options: Options): Section[] {
  return [
    {
      title: "One core",
      about:
        "What one server process on one core does, against a program that does only the bare minimum of the same " +
        "work. A ratio of 1 would mean that authentication, access rules, validation, audit log and encoding cost " +
        "nothing.",
      rows: [
        ...getRestRows(options),
        getGrpc,
        ...listRows(options),
        createRow,
        ...checkAccessRows,
        exchangeRow,
        registryTokenRow,
      ],
    },
    {
      title: "Peers",
      about:
        "The same work by other programs, each on one core, with the load on another. Programs differ in what they " +
        "do for each request; the notes say which of them flush each commit to the disk.",
      rows: [...databaseRows(options), oidcProviderRow],
    },
    {
      title: "Lists at a million rows",
      about:
        "What the worst lists cost, with any order, scope, filter, skip and text, and with many role bindings. Nothing " +
        "of a list is known to the process that reads it: each is read once by a fresh process, and once more right " +
        "after a write. Folders have rows on both sides of every size that a plan may depend on.",
      rows: [
        listGrowthRow(options),
        ...worstGroupRows(options),
        worstBindingsRow(options),
        worstAuditRow(options),
        ...worstAdvisoryRows(options),
        ...bindingRows,
      ],
    },
    {
      title: "Isolation",
      about:
        "The response time that 99 % of the requests of a client do not exceed while another client does the worst " +
        "that it can, against the same without the other client.",
      rows: [...isolationRows(options), collectionRow(options)],
    },
    {
      title: "PostgreSQL, replicas and workers",
      about:
        "The server on PostgreSQL against bare `pg` with one statement per request, and several processes against " +
        "one.",
      rows: [
        ...postgresRows(options),
        replicasRow,
        ...(options.quick ? [] : [sharedRowsRow]),
        ...workerRows,
      ],
    },
    {
      title: "Audit log and events",
      about: "What the hash chain of the audit log and subscriptions to events cost.",
      rows: [
        auditChainRow,
        deliveriesRow(options, 1),
        deliveriesRow(options, 16),
        subscribedCreateRow(1, { atLeast: 0.9 }),
        subscribedCreateRow(options.quick ? 10 : 100),
        eventDelayRow(options),
      ],
    },
    {
      title: "Registry of this server",
      about:
        "What pushes and pulls cost the server, and what clients of the registry wait for. The isolation rows have what " +
        "other clients feel of it.",
      rows: [...ownRegistryRows(options), retentionRow(options)],
    },
    {
      title: "Attached registries",
      about: "What Wharf knows of them, against the registry itself and `skopeo`.",
      rows: [registryTagsRow(options), noticeRow(options), reconcileRow(options)],
    },
    {
      title: "Advisories",
      about: "Import and filters of many advisories, and archives of feeds.",
      rows: [importRow(options), ...advisoryRowsOf(options), feedRow(options), archiveRow(options)],
    },
    {
      title: "Exposure",
      about:
        "Which images contain what, and which are affected: 100,000 images with 300 packages each, thirty million rows.",
      rows: exposureRows(options),
    },
    {
      title: "Web console",
      about:
        "From the navigation to the first rows in a real browser, whose cache has the files of the console. Skipped " +
        "where Chromium is not installed.",
      rows: consoleRows(options),
    },
    {
      title: "Memory and start",
      about: "Resident memory of all processes, and the time that commands take to start.",
      rows: [memoryRow(options), memoryRow(options, 2), startRow, versionRow, commandRow],
    },
  ];
}
