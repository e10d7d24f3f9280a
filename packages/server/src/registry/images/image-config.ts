import { create } from "@bufbuild/protobuf";
import { type GetImageConfigRequest, type ImageConfig, ImageConfigSchema } from "@wharf/contract";
import type { Engine } from "../../engine/engine.ts";
import { failedPrecondition, notFound } from "../../lib/errors.ts";
import type { Call, Handler } from "../../rpc/call.ts";
import { messageReply } from "../../rpc/reply.ts";
import { locationsOf } from "../../store/tables/registry-locations.ts";
import type { RemoteRegistry } from "../client/remote.ts";
import { imageFor } from "./images.ts";

/**
 * What an image says of how it is run. That is in the registry; here is only known where.
 *
 * @example handlers.set(ImagesService.method.getImageConfig, imageConfigMethod(engine, remotes));
 */
export function imageConfigMethod(
  engine: Engine,
  remotes: ReadonlyMap<string, RemoteRegistry>,
): Handler {
  return async (call, message) => {
    const request = message as GetImageConfigRequest;
    const { repoUid, digest } = request;
    const { image, architecture } = await imageFor(engine.store.reader, request);
    const told = `${repoUid}@${digest}`;
    if (image.kind !== "image" || image.configDigest === "") throw notFound("ImageConfig", told);
    const bytes = await fetchConfig(engine, remotes, call, repoUid, image.configDigest);
    if (bytes === undefined) throw notFound("ImageConfig", told);
    const config = readConfig(bytes);
    config.architecture = architecture;
    return messageReply(ImageConfigSchema, config);
  };
}

/** From the first registry that has it, of those that the repo is in: one that is down hides no other. */
async function fetchConfig(
  { store }: Engine,
  remotes: ReadonlyMap<string, RemoteRegistry>,
  { signal }: Call,
  repo: string,
  digest: string,
): Promise<Uint8Array | undefined> {
  const places = (await locationsOf(store.reader, repo)).flatMap(({ host, path }) => {
    const remote = remotes.get(host);
    return remote === undefined ? [] : [{ remote, path }];
  });
  if (places.length === 0) {
    const description = "no registry that this server keeps track of has the repo";
    throw failedPrecondition({ type: "NO_REGISTRY", description });
  }
  let problem: unknown;
  for (const { remote, path } of places) {
    try {
      const bytes = await remote.config(path, digest, signal);
      if (bytes !== undefined) return bytes;
    } catch (thrown) {
      problem ??= thrown;
    }
  }
  if (problem !== undefined) throw problem;
  return undefined;
}

type Json = Readonly<Record<string, unknown>>;

/**
 * Reads the configuration of an image, as OCI has it. What is missing or malformed in it is taken as
 * not said: it is what somebody pushed.
 *
 * @example readConfig(Buffer.from('{"config":{"User":"65532"}}')).user // "65532"
 */
export function readConfig(bytes: Uint8Array): ImageConfig {
  const config = object(object(parsed(bytes)).config);
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

function parsed(bytes: Uint8Array): unknown {
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
