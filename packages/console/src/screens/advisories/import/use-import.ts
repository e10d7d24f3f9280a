import { useQueryClient } from "@tanstack/react-query";
import type { Tally } from "@wharf/advisories/import";
import { useRef, useState } from "react";
import { api, serviceOf } from "../../../api/client.ts";
import { valuesIn } from "../filters.ts";
import type { NamedFile } from "./items.ts";

/** The progress of an import. */
export interface Progress {
  readonly tally: Readonly<Tally> | undefined;
  readonly read: number;
  readonly files: number;
  readonly isDryRun: boolean;
  readonly state: "running" | "done" | "stopped";
  readonly error?: Error;
}

/** Imports files into a group, one import at a time. */
export function useImport(group: string) {
  const cache = useQueryClient();
  const abort = useRef<AbortController>(undefined);
  const [progress, setProgress] = useState<Progress>();
  const start = async (files: readonly NamedFile[], options: FormData) => {
    if (files.length === 0 || progress?.state === "running") return;
    abort.current = new AbortController();
    await run(group, files, options, abort.current.signal, setProgress);
    cache.invalidateQueries({ queryKey: [serviceOf(api.advisories.list)] });
  };
  return { progress, start, stop: () => abort.current?.abort() };
}

/** Reports the progress until the import is done, stopped or failed. */
async function run(
  group: string,
  files: readonly NamedFile[],
  options: FormData,
  signal: AbortSignal,
  report: (progress: Progress) => void,
): Promise<void> {
  const isDryRun = options.has("dryRun");
  let last: Progress = {
    tally: undefined,
    read: 0,
    files: files.length,
    isDryRun,
    state: "running",
  };
  report(last);
  try {
    const { importFiles } = await import("./run.ts");
    await importFiles(files, {
      parent: group,
      format: String(options.get("format") ?? ""),
      metadataOnly: options.has("metadataOnly"),
      include: valuesIn(options.get("include")),
      exclude: valuesIn(options.get("exclude")),
      dryRun: isDryRun,
      signal,
      onProgress: (tally, read) => {
        last = { ...last, tally: Object.assign(Object.create(null), tally), read };
        report(last);
      },
    });
    report({ ...last, state: signal.aborted ? "stopped" : "done" });
  } catch (thrown) {
    report({ ...last, state: "stopped", error: thrown as Error });
  }
}
