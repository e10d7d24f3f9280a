import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ServiceDefinition } from "@grpc/grpc-js";
import { loadSync, type Options } from "@grpc/proto-loader";

const ROOT = join(import.meta.dirname, "../../../../..");
const PROTO = join(ROOT, "proto");

/** How tests read messages unless they say otherwise. */
const AS_JSON: Options = { longs: String, enums: String, defaults: true, oneofs: true };

/**
 * A service as an independent implementation reads it: from our .proto files, nothing generated.
 * Reading all of them takes longer than most tests, so only the one with the service is read.
 *
 * @example const groups = readService("wharf/iam/v2beta1", "GroupsService");
 */
export function readService(
  folder: string,
  service: string,
  shapes: Options = AS_JSON,
): ServiceDefinition {
  const declared = `\nservice ${service} {`;
  const file = globSync(`${folder}/*.proto`, { cwd: PROTO }).find((path) => {
    return readFileSync(join(PROTO, path), "utf8").includes(declared);
  });
  if (file === undefined) throw new Error(`there is no service ${service} in ${folder}`);
  const includeDirs = [PROTO, join(ROOT, "node_modules/google-proto-files")];
  const definitions = loadSync(file, { includeDirs, ...shapes });
  const name = Object.keys(definitions).find((one) => one.endsWith(`.${service}`)) as string;
  return definitions[name] as ServiceDefinition;
}
