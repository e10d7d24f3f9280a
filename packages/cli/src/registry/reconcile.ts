import { setTimeout as sleep } from "node:timers/promises";
import type { Registry } from "@wharf/contract";
import type { Run } from "../command/types.ts";
import { failed } from "../errors.ts";
import type { Column } from "../output/columns.ts";
import type { reconcileDefinition } from "./commands.ts";

const POLL_INTERVAL_MS = 500;

const COLUMNS: readonly Column<Registry>[] = [
  { header: "Host", value: ({ host }) => host },
  { header: "Repos", value: ({ findings }) => findings?.repos },
  { header: "Same", value: ({ findings }) => findings?.same },
  { header: "Created", value: ({ findings }) => findings?.created },
  { header: "Moved", value: ({ findings }) => findings?.moved },
  { header: "Removed", value: ({ findings }) => findings?.removed },
  { header: "Rejected", value: ({ findings }) => findings?.refused },
  { header: "Manifests", value: ({ findings }) => findings?.manifests, wide: true },
  { header: "Deleted", value: ({ findings }) => findings?.deleted, wide: true },
  { header: "Elsewhere", value: ({ findings }) => findings?.elsewhere, wide: true },
  { header: "Finished", value: ({ finishTime }) => finishTime, wide: true },
];

export const run: Run<typeof reconcileDefinition> = async (context, { host = "" }) => {
  const { signal } = context;
  const { registries } = await context.client();
  const started = (await registries.reconcile({ host }, { signal })).registries;
  const hosts = new Set(started.map((one) => one.host));
  const done = await context.progress("reconciling, repos:", async (step) => {
    for (let now = started; ; ) {
      for (const { host: at, problem } of now) if (problem !== "") throw unreadable(at, problem);
      if (now.every(({ pending }) => !pending)) return now;
      step.at(now.reduce((sum, { findings }) => sum + (findings?.repos ?? 0), 0));
      await sleep(POLL_INTERVAL_MS, undefined, { signal });
      const all = (await registries.list({}, { signal })).registries;
      now = all.filter((one) => hosts.has(one.host));
    }
  });
  await context.out.list(done, COLUMNS, { id: (one) => one.host, what: "registries" });
};

function unreadable(host: string, problem: string): Error {
  const hint = `the server retries ${host} until it responds`;
  return failed(problem, hint);
}
