import { ImagesService } from "@wharf/contract";
import { registryV1 } from "@wharf/contract/v1";
import { type Adapted, adapt, type Invoke } from "./adapter.ts";

const { Registry } = registryV1;

const NAMES = { repoUid: "repoId", architecture: "arch" };

/**
 * What version 1 tells of images.
 *
 * @example handlers.push(...imageMethods(invoke));
 */
export function imageMethods(invoke: Invoke): Adapted[] {
  return [
    adapt(invoke, {
      method: Registry.method.getArchs,
      onto: ImagesService.method.getArchitectures,
      request: ({ repoId, digest }) => ({ repoUid: repoId, digest }),
      answer: ({ architectures }) => ({ archs: architectures }),
      names: NAMES,
    }),
    adapt(invoke, {
      method: Registry.method.getSize,
      onto: ImagesService.method.getSize,
      request: ({ repoId, digest, arch }) => ({ repoUid: repoId, digest, architecture: arch }),
      answer: ({ size, architecture }) => ({ size, arch: architecture }),
      names: NAMES,
    }),
    adapt(invoke, {
      method: Registry.method.getImageConfig,
      onto: ImagesService.method.getImageConfig,
      request: ({ repoId, digest, arch }) => ({ repoUid: repoId, digest, architecture: arch }),
      answer({ $typeName: _, exposedPorts, volumes, architecture: __, ...same }) {
        return { ...same, exposedPorts: setOf(exposedPorts), volumes: setOf(volumes) };
      },
      names: NAMES,
    }),
  ];
}

/** Version 1 has sets as the configuration of images has them: maps to nothing. */
function setOf(names: readonly string[]): Record<string, object> {
  return Object.fromEntries(names.map((name) => [name, {}]));
}
