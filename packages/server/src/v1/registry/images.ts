import { ImagesService } from "@wharf/contract";
import { registryV1 } from "@wharf/contract/v1";
import { type AdaptedMethod, adapt, type Invoke } from "../adapter.ts";

const { Registry } = registryV1;

const NAMES = { repoUid: "repoId", architecture: "arch" };

/** The version 1 methods of images. */
export function imageMethods(invoke: Invoke): AdaptedMethod[] {
  return [
    adapt(invoke, {
      method: Registry.method.getArchs,
      target: ImagesService.method.getArchitectures,
      request: ({ repoId, digest }) => ({ repoUid: repoId, digest }),
      response: ({ architectures }) => ({ archs: architectures }),
      names: NAMES,
    }),
    adapt(invoke, {
      method: Registry.method.getSize,
      target: ImagesService.method.getSize,
      request: ({ repoId, digest, arch }) => ({ repoUid: repoId, digest, architecture: arch }),
      response: ({ size, architecture }) => ({ size, arch: architecture }),
      names: NAMES,
    }),
    adapt(invoke, {
      method: Registry.method.getImageConfig,
      target: ImagesService.method.getImageConfig,
      request: ({ repoId, digest, arch }) => ({ repoUid: repoId, digest, architecture: arch }),
      response({ $typeName: _, exposedPorts, volumes, architecture: __, ...same }) {
        return { ...same, exposedPorts: setOf(exposedPorts), volumes: setOf(volumes) };
      },
      names: NAMES,
    }),
  ];
}

/** Version 1 encodes sets like the OCI image configuration: as maps to empty objects. */
function setOf(names: readonly string[]): Record<string, object> {
  return Object.fromEntries(names.map((name) => [name, {}]));
}
