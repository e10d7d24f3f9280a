/** What the hooks of the registry area need from outside the engine. */
export interface RegistryDeps {
  /** The hosts of the installation's registries, the default one first. */
  hosts(): readonly string[];
  /** Those of them whose contents the installation knows, because they are attached. */
  readonly attached: readonly string[];
}

declare module "../engine/definition.ts" {
  interface HookDeps {
    readonly registry: RegistryDeps;
  }
}
