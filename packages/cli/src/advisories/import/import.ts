import { openSource, type Source } from "@wharf/advisories/source";
import type { Wharf } from "@wharf/client";
import type { Run } from "../../command/types.ts";
import type { Context } from "../../context.ts";
import { CommandError, EXIT, usageError } from "../../errors.ts";
import { resolvePlace } from "../../resolve/groups.ts";
import { type Batch, batchesOf } from "./batches.ts";
import type { importDefinition } from "./definition.ts";
import { inFlight } from "./in-flight.ts";
import { overGrpc } from "./over-grpc.ts";
import { sendBatch } from "./send.ts";
import { TALLY_COLUMNS, Tally, violationOf } from "./tally.ts";

export const run: Run<typeof importDefinition> = async (context, args) => {
  const { inputFormat: format, dryRun, metadataOnly } = args;
  const { signal } = context;
  const sources = await open(args.sources);
  const parent = await resolvePlace(context, args.parent);
  const client = await context.client();
  const tally = new Tally();
  const total = totalOf(sources);
  try {
    await context.progress(`importing into ${parent.name}`, async (step) => {
      const show = () => step.at(tally.documents + tally.skipped, total);
      const batches = batchesOf(sources, { format, metadataOnly, tally });
      let large: Promise<Wharf> | undefined;
      const forLarge = () => {
        large ??= overGrpc(context);
        return large;
      };
      const sending = { client, forLarge, parent: parent.uid, dryRun, tally, signal };
      const send = (batch: Batch) => sendBatch(batch, sending).finally(show);
      await inFlight(batches, idsOf, send, () => signal.aborted);
    });
  } catch (thrown) {
    sayHowToGoOn(context, tally);
    throw thrown;
  }
  await context.out.one(tally, TALLY_COLUMNS, { id: ({ documents }) => String(documents) });
  if (signal.aborted) return sayHowToGoOn(context, tally);
  if (tally.refused > 0) throw refused(tally);
};

async function open(paths: readonly string[]): Promise<Source[]> {
  const sources: Source[] = [];
  if (paths.filter((path) => path === "-").length > 1) {
    throw usageError("standard input can be read only once", "name - once");
  }
  for (const path of paths) {
    try {
      sources.push(await openSource(path, process.stdin));
    } catch (error) {
      const [why] = (error as Error).message.split(", ");
      throw usageError(
        `${path} cannot be read: ${why}`,
        "name files, folders, archives, or - for input",
      );
    }
  }
  return sources;
}

/** Known where it is known of all. */
function totalOf(sources: readonly Source[]): number | undefined {
  return sources.reduce<number | undefined>(
    (sum, { total }) => (sum === undefined || total === undefined ? undefined : sum + total),
    0,
  );
}

function idsOf(batch: Batch): string[] {
  return batch.flatMap(({ document }) => [
    ...document.advisories.map(({ advisoryId }) => advisoryId),
    ...document.vulnerabilities.map(({ id }) => id),
  ]);
}

/** Everything that was taken stays, and is found unchanged the next time. */
function sayHowToGoOn({ err }: Context, { created, changed, unchanged }: Tally): void {
  const taken = `${created} advisories created, ${changed} changed, ${unchanged} found unchanged`;
  err.warn(`not all was read: ${taken}; run the same command again to go on`);
}

function refused({ refused: count, documents, refusals }: Tally): CommandError {
  return new CommandError({
    message: `${count} of ${documents} documents were refused; nothing of them was taken`,
    exitCode: EXIT.failed,
    violations: refusals.map(violationOf),
    hint: "mend them and run the same command again: the others are found unchanged",
  });
}
