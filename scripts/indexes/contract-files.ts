import { readdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { DescService } from "@bufbuild/protobuf";
import { ROOT, StepError } from "../step.ts";

/** The folder to which buf writes the code of the proto files. */
export const GENERATED = "packages/contract/gen";

/** A proto file of this repository, as generated. */
export interface ContractFile {
  /** Below `packages/contract/gen`, such as `wharf/iam/v2beta1/groups_pb.js`. */
  readonly path: string;
  /** The namespace of its exports if it belongs to version 1: `groupsV1`. */
  readonly namespace: string | undefined;
  /** The generated constants of its services. */
  readonly services: readonly ContractService[];
  readonly exports: readonly string[];
}

export interface ContractService {
  /** The name of the generated constant. */
  readonly name: string;
  readonly typeName: string;
}

/** Contain options and capabilities, which packages/contract/src exports in another form. */
const INTERNAL = new Set([
  "wharf/annotations/annotations_pb.js",
  "wharf/capabilities/capabilities_pb.js",
]);

/** Reads the generated code of all proto files below proto/wharf, sorted by path. */
export async function contractFiles(): Promise<ContractFile[]> {
  const folder = join(ROOT, GENERATED);
  const paths = readdirSync(join(folder, "wharf"), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith("_pb.js"))
    .map((path) => `wharf/${path}`)
    .filter((path) => !INTERNAL.has(path))
    .sort();
  const files = await Promise.all(paths.map((path) => contractFile(folder, path)));
  rejectDuplicates(files);
  return files;
}

async function contractFile(folder: string, path: string): Promise<ContractFile> {
  const module = (await import(pathToFileURL(join(folder, path)).href)) as Record<string, unknown>;
  const services = Object.entries(module).flatMap(([name, value]) =>
    isService(value) ? [{ name, typeName: value.typeName }] : [],
  );
  const [, file = ""] = /([a-z0-9_]+)_pb\.js$/.exec(path) ?? [];
  const namespace = path.includes("/v1/") ? `${camelCase(file)}V1` : undefined;
  return { path, namespace, services, exports: Object.keys(module) };
}

function isService(value: unknown): value is DescService {
  return (value as { kind?: string } | undefined)?.kind === "service";
}

/** JavaScript drops a name that two `export *` share without an error, so this is one. */
function rejectDuplicates(files: readonly ContractFile[]): void {
  const owners = new Map<string, string>();
  for (const { path, namespace, exports } of files) {
    for (const name of namespace === undefined ? exports : [namespace]) {
      const owner = owners.get(name);
      if (owner !== undefined) {
        throw new StepError(`${name} is in ${owner} and in ${path}: rename one in its proto file`);
      }
      owners.set(name, path);
    }
  }
}

/** `roleBindings` for `role_bindings`. */
export function camelCase(snake: string): string {
  return snake.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
