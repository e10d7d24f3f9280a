import { type RegistrySettings, RegistrySettingsService } from "@wharf/contract";
import { registryV1 } from "@wharf/contract/v1";
import { type AdaptedMethod, adapt, type Invoke } from "../adapter.ts";

const { Registry } = registryV1;

const NAMES = { groupUid: "registryId" };

/** The version 1 methods of registry settings. A registry is a group. */
export function registrySettingsMethods(invoke: Invoke): AdaptedMethod[] {
  return [
    adapt(invoke, {
      method: Registry.method.getRegistrySettings,
      target: RegistrySettingsService.method.getRegistrySettings,
      request: ({ registryId }) => ({ groupUid: registryId }),
      response: settingsV1,
      names: NAMES,
    }),
    adapt(invoke, {
      method: Registry.method.updateRegistrySettings,
      target: RegistrySettingsService.method.updateRegistrySettings,
      request: ({ registryId, uniqueTags, eolGracePeriod }) => ({
        registrySettings: { groupUid: registryId, uniqueTags, eolGracePeriod },
        updateMask: { paths: ["*"] },
      }),
      response: settingsV1,
      names: NAMES,
    }),
  ];
}

/** Translates the registry settings of a group to version 1. */
export function settingsV1({ groupUid, uniqueTags, eolGracePeriod }: RegistrySettings) {
  return { registryId: groupUid, uniqueTags, eolGracePeriod };
}
