/** Dependencies of the hooks of the registry area outside the engine. */
export interface RegistryDeps {
  /** The hosts of the installation's registries, the default one first. */
  hosts(): readonly string[];
  /** The hosts of attached registries, whose contents the installation mirrors. */
  readonly attached: readonly string[];
}

declare module "../engine/definition.ts" {
  interface HookDeps {
    readonly registry: RegistryDeps;
  }
}
