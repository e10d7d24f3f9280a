import { setTimeout as sleep } from "node:timers/promises";
import type { GarbagePass, StorageStatus } from "@wharf/contract";
import type { Run } from "../command/types.ts";
import { failed } from "../errors.ts";
import type { Column } from "../output/columns.ts";
import { counted } from "../output/counted.ts";
import { sizeText } from "../output/short.ts";
import type { gcDefinition } from "./commands.ts";

const POLL_INTERVAL_MS = 500;

export const run: Run<typeof gcDefinition> = async (context, { dryRun }) => {
  const { signal } = context;
  const { registryStorage } = await context.client();
  const passOf = ({ collection, preview }: StorageStatus) => (dryRun ? preview : collection);
  const text = dryRun ? "examining blobs, percent:" : "collecting garbage, percent:";
  const done = await context.progress(text, async (step) => {
    for (let status = await registryStorage.collectGarbage({ dryRun }, { signal }); ; ) {
      const pass = passOf(status);
      if (pass?.problem)
        throw failed(pass.problem, "the server tries again, and says why in its log");
      if (pass?.last !== undefined && !pass.pending) return pass;
      step.at(Math.floor((pass?.progress ?? 0) * 100), 100);
      await sleep(POLL_INTERVAL_MS, undefined, { signal });
      status = await registryStorage.getStorageStatus({}, { signal });
    }
  });
  await context.out.one(done, columnsOf(dryRun), { id: ({ last }) => String(last?.freedBytes) });
};

function columnsOf(dryRun: boolean): readonly Column<GarbagePass>[] {
  const amount = (blobs = 0n, bytes = 0n) =>
    `${counted(Number(blobs), "blob")}, ${sizeText(bytes)}`;
  return [
    { header: "Examined", value: ({ last }) => amount(last?.blobs, last?.bytes) },
    {
      header: dryRun ? "Would delete" : "Deleted",
      value: ({ last }) => amount(last?.freedBlobs, last?.freedBytes),
    },
    { header: "Leased", value: ({ last }) => amount(last?.leasedBlobs, last?.leasedBytes) },
    { header: "Last lease ends", value: ({ last }) => last?.leaseEndTime },
    { header: "Began", value: ({ lastBeginTime }) => lastBeginTime, wide: true },
    { header: "Finished", value: ({ finishTime }) => finishTime, wide: true },
  ];
}
