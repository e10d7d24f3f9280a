import { ConfigError } from "../../config/settings.ts";
import type { Records } from "./records.ts";

/** An older version would corrupt the data of a newer one. */
export function newerStore(
  { step, version }: Pick<Records, "step" | "version">,
  newestStep: number,
): ConfigError {
  const by = version === "" ? "a newer version of wharf" : `wharf ${version}`;
  return new ConfigError(
    `the store was migrated by ${by} (step ${step}, this version knows ${newestStep}): run that version or a newer one, or restore a backup of this version`,
  );
}

/** A store from before the first complete version. */
export function olderStore(step: number): ConfigError {
  return new ConfigError(
    `this version cannot upgrade a store of step ${step}: restore a backup of a later one, or use an empty database`,
  );
}

/** Tables of Wharf without the record of their steps: a backup that was restored in part. */
export function unrecordedStore(tables: readonly string[]): ConfigError {
  return new ConfigError(
    `the database has tables of wharf (${listed(tables)}) but no record of their version: restore a complete backup, or use an empty database`,
  );
}

/** A database of another program. */
export function foreignStore(tables: readonly string[]): ConfigError {
  return new ConfigError(
    `the database is not one of wharf: it has the tables ${listed(tables)} of another program; use an empty database`,
  );
}

const MAX_LISTED = 3;

function listed(names: readonly string[]): string {
  const listedNames = names.slice(0, MAX_LISTED).join(", ");
  return names.length > MAX_LISTED
    ? `${listedNames} and ${names.length - MAX_LISTED} more`
    : listedNames;
}
