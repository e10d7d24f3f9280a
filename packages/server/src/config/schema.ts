import { ACCESS } from "./schema/access.ts";
import { ADDRESSES } from "./schema/addresses.ts";
import { NETWORK } from "./schema/network.ts";
import { OPERATION } from "./schema/operation.ts";
import { RECORDS } from "./schema/records.ts";
import { REGISTRIES } from "./schema/registries.ts";
import type { Setting, SettingName } from "./schema/setting.ts";

/** The table of settings. Flags, environment variables, keys of the config file and help follow from it. */
export const SETTINGS: Readonly<Record<SettingName, Setting>> = {
  ...ADDRESSES,
  ...REGISTRIES,
  ...NETWORK,
  ...ACCESS,
  ...RECORDS,
  ...OPERATION,
};

export function flagOf(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

export function variableOf(name: string): string {
  return `WHARF_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}
