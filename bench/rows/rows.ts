import type { Options } from "../options.ts";
import type { Row } from "../row.ts";
import { advisoryRowsOf } from "./advisories.ts";
import { advisorySearchRows } from "./advisory-search.ts";
import { archiveRow } from "./archive.ts";
import { auditChainRow, auditListRow } from "./audit.ts";
import { bindingRowsOf } from "./bindings.ts";
import { commandRow } from "./command.ts";
import { createRow } from "./create.ts";
import { deliveriesRow, eventDelayRow, subscribedCreateRow } from "./events.ts";
import { exchangeRow } from "./exchange.ts";
import { getGrpc } from "./get-grpc.ts";
import { getRest } from "./get-rest.ts";
import { importRow } from "./import.ts";
import { isolationRows } from "./isolation.ts";
import { skipAfterWriteRow, worstListRow } from "./list-search.ts";
import { listGrowthRow, listRow, skipRow } from "./lists.ts";
import { memoryRow } from "./memory.ts";
import { noticeRow } from "./notice.ts";
import { postgresRows } from "./postgres.ts";
import { reconcileRow } from "./reconcile.ts";
import { registryTagsRow } from "./registry-tags.ts";
import { registryTokenRow } from "./registry-token.ts";
import { replicasRow } from "./replicas.ts";
import { startRow } from "./start.ts";
import { versionRow } from "./version.ts";
import { workerRows } from "./workers.ts";

/** The rows of the table. */
export function rowsOf(options: Options): Row[] {
  return [
    getRest,
    getGrpc,
    listRow(options),
    listGrowthRow(options),
    skipRow(options),
    skipAfterWriteRow(options),
    worstListRow(options),
    ...bindingRowsOf(options),
    createRow,
    auditChainRow,
    auditListRow(options),
    deliveriesRow(options, 1),
    deliveriesRow(options, 16),
    subscribedCreateRow(1, 0.9),
    subscribedCreateRow(100, 0),
    eventDelayRow(options),
    ...isolationRows(options),
    ...postgresRows(options),
    replicasRow,
    ...workerRows,
    importRow(options),
    exchangeRow,
    registryTokenRow,
    registryTagsRow(options),
    noticeRow(options),
    reconcileRow(options),
    ...advisoryRowsOf(options),
    ...advisorySearchRows(options),
    archiveRow,
    memoryRow(options),
    memoryRow(options, 2),
    startRow,
    versionRow,
    commandRow,
  ];
}
