import { createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { finished } from "node:stream/promises";
import type { AuditEntry } from "@wharf/client";
import { AuditExportFormat } from "@wharf/contract";
import { CODES } from "@wharf/contract/codes";
import type { Run } from "../command/types.ts";
import type { Context } from "../context.ts";
import { type Column, textOf } from "../output/columns.ts";
import { UidNames } from "../resolve/uid-names.ts";
import { resumed } from "../resumed-stream.ts";
import type {
  exportDefinition,
  getDefinition,
  listDefinition,
  watchDefinition,
} from "./commands.ts";
import { filterOf } from "./filter.ts";

const CODE_NAMES = new Map<number, string>(
  Object.entries(CODES).map(([name, { number }]) => [number, name]),
);

const columnsOf = (names?: UidNames): readonly Column<AuditEntry>[] => [
  { header: "ID", value: ({ uid }) => uid, whole: true },
  { header: "Time", value: ({ time }) => time },
  { header: "Actor", value: ({ actor }) => actor?.name || actor?.uid || "anonymous" },
  { header: "Method", value: ({ method }) => method.slice(method.lastIndexOf("/") + 1) },
  {
    header: "Resource",
    value: ({ resource }) => resource?.name || resource?.uid,
    short: ({ resource }) => resource && names?.pathOf(resource.uid, resource.name || undefined),
  },
  {
    header: "Code",
    value: ({ code }) => code,
    short: ({ code }) => (code === 0 ? "OK" : CODE_NAMES.get(code)),
  },
  { header: "Via", value: ({ via }) => via, wide: true },
  { header: "Type", value: ({ resource }) => resource?.type, wide: true },
  { header: "Address", value: ({ sourceAddress }) => sourceAddress, wide: true },
  { header: "Changed", value: ({ changedFields }) => changedFields, wide: true },
  { header: "Actor UID", value: ({ actor }) => actor?.uid, wide: true },
  { header: "Resource UID", value: ({ resource }) => resource?.uid, wide: true },
  { header: "Full method", value: ({ method }) => method, wide: true },
  { header: "Request ID", value: ({ requestId }) => requestId, wide: true },
  { header: "Session", value: ({ session }) => session, wide: true },
  { header: "User agent", value: ({ userAgent }) => userAgent, wide: true },
  { header: "Detail", value: ({ detail }) => detail, wide: true },
];

export const list: Run<typeof listDefinition> = async (context, args) => {
  const { limit, oldestFirst } = args;
  const filter = await filterOf(context, args);
  const { audit } = await context.client();
  const orderBy = oldestFirst ? "time" : "time desc";
  const pageSize = limit > 0 ? Math.min(limit, 200) : 200;
  const all = audit.listEntriesAll({ filter, orderBy, pageSize }, { signal: context.signal });
  const arrangement = {
    ...args,
    limit: limit === 0 ? undefined : limit,
    sortsWithinLimit: true,
  };
  const names = new UidNames(context);
  const lookUp = (entries: readonly AuditEntry[]) =>
    names.loadPaths(entries.map(({ resource }) => resource?.uid ?? ""));
  await context.progress("listing entries", () =>
    context.out.list(all, columnsOf(names), { what: "entries", arrangement, lookUp }),
  );
};

export const get: Run<typeof getDefinition> = async (context, { uid }) => {
  const { audit } = await context.client();
  await context.out.one(await audit.getEntry({ uid }, { signal: context.signal }), columnsOf());
};

const FORMATS = {
  jsonl: AuditExportFormat.JSON_LINES,
  csv: AuditExportFormat.CSV,
  ocsf: AuditExportFormat.OCSF,
} as const;

export const exportEntries: Run<typeof exportDefinition> = async (context, args) => {
  const filter = await filterOf(context, args);
  const parts = partsOf(context, { filter, format: FORMATS[args.as] });
  if (args.to === "-") {
    for await (const part of parts) process.stdout.write(part);
    return;
  }
  await context.progress("exporting entries", () => writeFile(args.to, parts));
  context.err.note(`wrote ${args.to}`);
};

async function* partsOf(context: Context, request: object): AsyncGenerator<string> {
  const { audit } = await context.client();
  for (let pageToken = ""; ; ) {
    const part = await audit.exportEntries({ ...request, pageToken }, { signal: context.signal });
    yield part.content;
    pageToken = part.nextPageToken;
    if (pageToken === "") return;
  }
}

/** Writes a temporary file and renames it, so that the export is complete or absent. */
async function writeFile(path: string, parts: AsyncIterable<string>): Promise<void> {
  const temporary = `${path}.part`;
  const stream = createWriteStream(temporary, { mode: 0o600 });
  try {
    for await (const part of parts) {
      if (!stream.write(part)) await new Promise((resolve) => stream.once("drain", resolve));
    }
    stream.end();
    await finished(stream);
    await rename(temporary, path);
  } catch (error) {
    stream.destroy();
    await rm(temporary, { force: true });
    throw error;
  }
}

export const watch: Run<typeof watchDefinition> = async (context, args) => {
  const filter = await filterOf(context, args);
  const { audit } = await context.client();
  const { signal, out } = context;
  let start = args.after ?? "";
  if (start === "") {
    // With an entry to continue after, a connection that is lost before the first entry loses none.
    const { entries } = await audit.listEntries({ filter, pageSize: 1 }, { signal });
    start = entries[0]?.uid ?? "";
  }
  await resumed(context, start, (after) => audit.watchEntries({ filter, after }, { signal }), {
    idOf: ({ uid }) => uid,
    handle: (entry) => (out.format === "json" ? out.json(entry, true) : out.text(lineOf(entry))),
  });
};

function lineOf(entry: AuditEntry): string {
  return columnsOf()
    .filter(({ wide }) => !wide)
    .map(({ value }) => textOf(value(entry)) || "-")
    .join("  ");
}
