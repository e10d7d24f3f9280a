import { create } from "@bufbuild/protobuf";
import { type GetImageConfigRequest, type ImageConfig, ImageConfigSchema } from "@wharf/contract";
import type { Engine } from "../../engine/engine.ts";
import { failedPrecondition, notFound } from "../../lib/errors.ts";
import type { Call, Handler } from "../../rpc/call.ts";
import { messageReply } from "../../rpc/reply.ts";
import { locationsOf } from "../../store/tables/registry-locations.ts";
import type { RemoteRegistry } from "../client/remote.ts";
import { imageFor } from "./images.ts";

/** The handler of GetImageConfig. Configurations are not stored, but fetched from the registry. */
export function imageConfigMethod(
  engine: Engine,
  remotes: ReadonlyMap<string, RemoteRegistry>,
): Handler {
  return async (call, message) => {
    const request = message as GetImageConfigRequest;
    const { repoUid, digest } = request;
    const { image, architecture } = await imageFor(engine.store.reader, request);
    const name = `${repoUid}@${digest}`;
    if (image.kind !== "image" || image.configDigest === "") throw notFound("ImageConfig", name);
    const bytes = await fetchConfig(engine, remotes, call, repoUid, image.configDigest);
    if (bytes === undefined) throw notFound("ImageConfig", name);
    const config = readConfig(bytes);
    config.architecture = architecture;
    return messageReply(ImageConfigSchema, config);
  };
}

/** Fetches a configuration from the first location that has it. Failures of others do not matter then. */
async function fetchConfig(
  { store }: Engine,
  remotes: ReadonlyMap<string, RemoteRegistry>,
  { signal }: Call,
  repo: string,
  digest: string,
): Promise<Uint8Array | undefined> {
  const locations = (await locationsOf(store.reader, repo)).flatMap(({ host, path }) => {
    const remote = remotes.get(host);
    return remote === undefined ? [] : [{ remote, path }];
  });
  if (locations.length === 0) {
    const description = "no attached registry has the repo";
    throw failedPrecondition({ type: "NO_REGISTRY", description });
  }
  let failure: unknown;
  for (const { remote, path } of locations) {
    try {
      const bytes = await remote.config(path, digest, signal);
      if (bytes !== undefined) return bytes;
    } catch (thrown) {
      failure ??= thrown;
    }
  }
  if (failure !== undefined) throw failure;
  return undefined;
}

type Json = Readonly<Record<string, unknown>>;

/** Parses an OCI image configuration. Malformed fields are treated as missing, as users push anything. */
export function readConfig(bytes: Uint8Array): ImageConfig {
  const config = object(object(parseJson(bytes)).config);
  return create(ImageConfigSchema, {
    user: text(config.User),
    exposedPorts: Object.keys(object(config.ExposedPorts)).sort(),
    env: texts(config.Env),
    entrypoint: texts(config.Entrypoint),
    cmd: texts(config.Cmd),
    volumes: Object.keys(object(config.Volumes)).sort(),
    workingDir: text(config.WorkingDir),
    labels: Object.fromEntries(
      Object.entries(object(config.Labels)).filter(([, value]) => typeof value === "string"),
    ) as Record<string, string>,
    stopSignal: text(config.StopSignal),
  });
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString("utf8"));
  } catch {
    return undefined;
  }
}

function object(value: unknown): Json {
  return typeof value === "object" && value !== null ? (value as Json) : {};
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}
