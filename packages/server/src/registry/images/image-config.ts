import { create } from "@bufbuild/protobuf";
import { type GetImageConfigRequest, type ImageConfig, ImageConfigSchema } from "@wharf/contract";
import { notFound } from "../../lib/errors.ts";
import type { Handler } from "../../rpc/call.ts";
import { messageReply } from "../../rpc/reply.ts";
import type { Store } from "../../store/db/store.ts";
import type { RegistryContents } from "../client/remote.ts";
import { object, parseJson, text, textMap } from "../lenient-json.ts";
import { readFromLocations } from "../locations.ts";
import { imageFor } from "./definition.ts";

/** The handler of GetImageConfig. Configurations are not stored, but fetched from the registry. */
export function imageConfigMethod(
  store: Store,
  remotes: ReadonlyMap<string, RegistryContents>,
): Handler {
  return async (call, message) => {
    const request = message as GetImageConfigRequest;
    const { repoUid, digest } = request;
    const { image, architecture } = await imageFor(store.reader, request);
    const name = `${repoUid}@${digest}`;
    if (image.kind !== "image" || image.configDigest === "") throw notFound("ImageConfig", name);
    const bytes = await readFromLocations(store, remotes, repoUid, (remote, path) =>
      remote.config(path, image.configDigest, call.signal),
    );
    if (bytes === undefined) throw notFound("ImageConfig", name);
    const config = readConfig(bytes);
    config.architecture = architecture;
    return messageReply(ImageConfigSchema, config);
  };
}

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
    labels: textMap(config.Labels),
    stopSignal: text(config.StopSignal),
  });
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
}
