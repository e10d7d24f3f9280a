import type { Settings } from "../settings.ts";

export type SettingName = keyof Settings;

export interface Setting {
  readonly default: string;
  readonly help: string;
  /** The placeholder of the value in help texts. */
  readonly value: string;
  /** A variable that programs of all makers know; our own one precedes it. */
  readonly sharedVariable?: string;
  /** Why a value is invalid; undefined if it is valid. */
  readonly problem?: (text: string) => string | undefined;
}

/** Some of the settings. */
export type SettingTable = Readonly<Partial<Record<SettingName, Setting>>>;
