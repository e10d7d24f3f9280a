import { type Batch, batchesOf, selection, Tally } from "@wharf/advisories/import";
import { openSource, type Source } from "@wharf/advisories/source";
import type { Wharf } from "@wharf/client";
import { tokenSource } from "../../auth/source.ts";
import type { Run } from "../../command/types.ts";
import type { Context } from "../../context.ts";
import { CommandError, EXIT, usageError } from "../../errors.ts";
import { keepingSchemas } from "../../output/schemas.ts";
import { resolveParent } from "../../resolve/groups.ts";
import { version } from "../../version.ts";
import type { importDefinition } from "../commands.ts";
import { processKeyed } from "./keyed-pool.ts";
import { sendBatch } from "./send.ts";
import { TALLY_COLUMNS, violationOf } from "./tally.ts";

export const run: Run<typeof importDefinition> = async (context, args) => {
  const { inputFormat: format, dryRun, metadataOnly } = args;
  const { signal } = context;
  const sources = await openAll(args.sources);
  const parent = await resolveParent(context, args.parent);
  const client = await context.client();
  const tally = new Tally();
  const total = totalOf(sources);
  try {
    await context.progress(`importing into ${parent.name}`, async (step) => {
      const showProgress = () => step.at(tally.documents + tally.skipped, total);
      const isIncluded = selection(args.include, args.exclude);
      const batches = batchesOf(sources, { format, metadataOnly, tally, isIncluded });
      let grpc: Promise<Wharf> | undefined;
      const largeClient = () => {
        grpc ??= grpcClient(context);
        return grpc;
      };
      const options = { client, largeClient, parent: parent.uid, dryRun, tally, signal };
      const send = (batch: Batch) => sendBatch(batch, options).finally(showProgress);
      await processKeyed(batches, idsOf, send, () => signal.aborted);
    });
  } catch (thrown) {
    // After Ctrl-C a batch that could have been retried fails; the tally is printed all the same.
    if (!signal.aborted) {
      warnIncomplete(context, tally);
      throw thrown;
    }
  }
  warnCorrected(context, tally);
  await context.out.one(tally, TALLY_COLUMNS, { id: ({ documents }) => String(documents) });
  if (signal.aborted) return warnIncomplete(context, tally);
  if (tally.refused > 0) throw rejected(tally);
};

async function openAll(paths: readonly string[]): Promise<Source[]> {
  const sources: Source[] = [];
  if (paths.filter((path) => path === "-").length > 1) {
    throw usageError("standard input can be read only once", "give - once");
  }
  for (const path of paths) {
    try {
      sources.push(await openSource(path, process.stdin));
    } catch (error) {
      const [reason] = (error as Error).message.split(", ");
      throw usageError(
        `${path} cannot be read: ${reason}`,
        "give files, directories, archives, or - for standard input",
      );
    }
  }
  return sources;
}

/** Undefined if the size of a source is unknown. */
function totalOf(sources: readonly Source[]): number | undefined {
  return sources.reduce<number | undefined>(
    (sum, { total }) => (sum === undefined || total === undefined ? undefined : sum + total),
    0,
  );
}

/** The keys of a batch: documents about the same advisory are imported in order. */
function idsOf(batch: Batch): string[] {
  return batch.flatMap(({ document }) => [
    ...document.advisories.map(({ advisoryId }) => advisoryId),
    ...document.vulnerabilities.map(({ id }) => id),
  ]);
}

/** A gRPC client: documents have a third of their size in JSON, but not all proxies support it. */
async function grpcClient({ settings, environment, err }: Context): Promise<Wharf> {
  const { createWharf, grpcTransport } = await import("@wharf/client/node");
  return createWharf({
    baseUrl: settings.api,
    authUrl: settings.issuer,
    token: tokenSource(settings, environment, err),
    userAgent: `wharf/${version()}`,
    transport: keepingSchemas(grpcTransport()),
    onRequest: ({ url, status, ms }) =>
      err.detail(`gRPC ${url} → ${status} in ${ms.toFixed(0)} ms (Authorization: Bearer ****)`),
  });
}

function warnIncomplete({ err }: Context, { created, changed, unchanged }: Tally): void {
  const done = `${created} advisories created, ${changed} changed, ${unchanged} unchanged`;
  err.warn(`import incomplete: ${done}; run the same command again to continue`);
}

/** Warnings that are printed; `-o json` has more. */
const MAX_PRINTED_WARNINGS = 20;

function warnCorrected({ err }: Context, { warnings }: Tally): void {
  for (const one of warnings.slice(0, MAX_PRINTED_WARNINGS)) {
    const { field, description } = violationOf(one);
    err.warn(`${field}: ${description}`);
  }
  const more = warnings.length - MAX_PRINTED_WARNINGS;
  if (more > 0) err.warn(`${more} more warnings; -o json lists them`);
}

function rejected({ refused: count, documents, refusals }: Tally): CommandError {
  return new CommandError({
    message: `${count} of ${documents} documents were rejected; nothing in them was imported`,
    exitCode: EXIT.failed,
    violations: refusals.map(violationOf),
    hint: "fix them and run the same command again; documents already imported are unchanged",
  });
}
