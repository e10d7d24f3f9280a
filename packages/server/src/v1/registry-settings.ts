import { type RegistrySettings, RegistrySettingsService } from "@wharf/contract";
import { registryV1 } from "@wharf/contract/v1";
import { type Adapted, adapt, type Invoke } from "./adapter.ts";

const { Registry } = registryV1;

const NAMES = { groupUid: "registryId" };

/**
 * The settings of groups for their repos, as version 1 has them: a registry is a group.
 *
 * @example handlers.push(...registrySettingsMethods(invoke));
 */
export function registrySettingsMethods(invoke: Invoke): Adapted[] {
  return [
    adapt(invoke, {
      method: Registry.method.getRegistrySettings,
      onto: RegistrySettingsService.method.getRegistrySettings,
      request: ({ registryId }) => ({ groupUid: registryId }),
      answer: settingsV1,
      names: NAMES,
    }),
    adapt(invoke, {
      method: Registry.method.updateRegistrySettings,
      onto: RegistrySettingsService.method.updateRegistrySettings,
      request: ({ registryId, uniqueTags, eolGracePeriod }) => ({
        registrySettings: { groupUid: registryId, uniqueTags, eolGracePeriod },
        updateMask: { paths: ["*"] },
      }),
      answer: settingsV1,
      names: NAMES,
    }),
  ];
}

/**
 * The settings of a group as version 1 shows them.
 *
 * @example settingsV1(settings).registryId
 */
export function settingsV1({ groupUid, uniqueTags, eolGracePeriod }: RegistrySettings) {
  return { registryId: groupUid, uniqueTags, eolGracePeriod };
}
