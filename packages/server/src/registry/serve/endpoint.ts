import type { OutgoingHttpHeaders } from "node:http";
import { unauthenticated, WharfError } from "../../lib/errors.ts";
import type { HttpEndpoint, HttpRequest, HttpResponse } from "../../wire/endpoint.ts";
import { RegistryFault, registryError } from "../access/errors.ts";
import type { Action } from "../access/scope.ts";
import type { Collector } from "../collection/collector.ts";
import type { ResolvedPath } from "../path.ts";
import { UsageHistory } from "../usage/usage-history.ts";
import type { RegistryCaller } from "./access.ts";
import { deleteBlob, getBlob } from "./blobs.ts";
import { auditDenial } from "./denial-audit.ts";
import type { BackgroundDeps, RepoRequest, ServeDeps } from "./deps.ts";
import { listReferrers, listTags } from "./lists.ts";
import { deleteManifest, getManifest, putManifest } from "./manifests.ts";
import { PullLog } from "./pull-log.ts";
import { readTarget, type Target } from "./request.ts";
import { Scrub } from "./scrub.ts";
import { diskFull, isDiskFull } from "./space.ts";
import { StoredUsage } from "./stored-usage.ts";
import { UploadCleanup } from "./upload-cleanup.ts";
import {
  cancelUpload,
  continueUpload,
  finishUpload,
  startUpload,
  uploadProgress,
} from "./uploads.ts";

/**
 * Content of users never runs as a page of this server, whatever it is: browsers neither guess its type nor run scripts in
 * it.
 */
const COMMON_HEADERS = {
  "docker-distribution-api-version": "registry/2.0",
  "content-security-policy": "default-src 'none'; sandbox",
  "x-content-type-options": "nosniff",
};

/** A request that the API has: the action that it needs, its name in metrics, and its handler. */
type Operation = readonly [
  action: Action,
  name: string,
  handle: (repoRequest: RepoRequest) => Promise<HttpResponse>,
];

/** The OCI distribution API. */
export class RegistryServer {
  readonly #deps: ServeDeps;
  readonly #pulls: PullLog;
  readonly #cleanup: UploadCleanup;
  readonly #scrub: Scrub;
  readonly #usage: StoredUsage;
  readonly #collector: Collector;
  readonly #history: UsageHistory;
  readonly #upstreams: BackgroundDeps["upstreams"];
  readonly endpoints: readonly HttpEndpoint[];

  /** @param other Answers other paths below /v2/. */
  constructor(
    deps: ServeDeps,
    { metrics, scrubBytesPerSecond: bytesPerSecond, collector, upstreams }: BackgroundDeps,
    other: HttpEndpoint,
  ) {
    this.#deps = deps;
    const { store, storage, log } = deps;
    this.#pulls = new PullLog(deps, log);
    this.#cleanup = new UploadCleanup(store, storage, log);
    this.#scrub = new Scrub({ store, storage, log, metrics, bytesPerSecond });
    this.#usage = new StoredUsage(store, metrics, log);
    this.#collector = collector;
    this.#history = new UsageHistory(store, log);
    this.#upstreams = upstreams;
    const handle = (request: HttpRequest) => this.#handle(request, other);
    const prefix = { path: "/v2/", prefix: true, handle } as const;
    this.endpoints = [
      { method: "GET", path: "/v2", handle },
      { ...prefix, method: "GET" },
      { ...prefix, method: "DELETE" },
      { ...prefix, method: "POST", streams: true },
      { ...prefix, method: "PATCH", streams: true },
      { ...prefix, method: "PUT", streams: true },
    ];
  }

  /** Starts what runs beside requests. */
  start(): void {
    this.#cleanup.start();
    this.#scrub.start();
    this.#usage.start();
    this.#collector.start();
    this.#history.start();
    this.#upstreams.start();
  }

  async stop(): Promise<void> {
    await this.#upstreams.stop();
    await this.#cleanup.stop();
    await this.#scrub.stop();
    await this.#usage.stop();
    await this.#collector.stop();
    await this.#history.stop();
    await this.#pulls.close();
    await this.#deps.storage.close();
  }

  async #handle(request: HttpRequest, other: HttpEndpoint): Promise<HttpResponse> {
    const response = await this.#answer(request, other);
    return { ...response, headers: { ...response.headers, ...COMMON_HEADERS } };
  }

  async #answer(request: HttpRequest, other: HttpEndpoint): Promise<HttpResponse> {
    const { authorizer } = this.#deps;
    let scope: string | undefined;
    let caller: RegistryCaller | undefined;
    let operation = "";
    try {
      const target = readTarget(request.path);
      if (target === undefined) {
        if (request.method === other.method) return await other.handle(request);
        throw new RegistryFault("UNSUPPORTED", "no route matches this path");
      }
      if (target.kind === "base") {
        caller = await authorizer.authenticate(request);
        return this.#base(caller.isAnonymous);
      }
      if (target.kind === "catalog") throw new RegistryFault("NAME_UNKNOWN", "there is no catalog");
      const [action, name, handle] = this.#operation(request.method, target);
      operation = name;
      // Before the credentials are read: a client whose token has expired asks for one with this scope.
      scope = `repository:${target.name}:${action === "push" ? "pull,push" : action}`;
      caller = await authorizer.authenticate(request);
      const path = await authorizer.authorize(caller, target.name, action);
      if (action === "push") await this.#rejectMirror({ path, name: target.name });
      const host = authorizer.service;
      const time = Date.now();
      const response = await handle({ request, caller, host, name: target.name, path, time });
      const headers = { ...response.headers, ...renameWarning(path, response) };
      return { ...response, headers, operation, caller: caller.caller.uid };
    } catch (thrown) {
      await auditDenial(this.#deps.audit, request, caller, WharfError.from(thrown));
      const error = registryError(isDiskFull(thrown) ? diskFull() : thrown, "");
      const response = { ...error, operation };
      if (response.status !== 401) return response;
      const challenge = { "www-authenticate": authorizer.challenge(scope, thrown) };
      return { ...response, headers: { ...response.headers, ...challenge } };
    }
  }

  /** Images of an upstream are not pushed here as well. */
  async #rejectMirror(target: Pick<RepoRequest, "path" | "name">): Promise<void> {
    const problem = await this.#deps.mirrors.pushProblem(target);
    if (problem !== undefined) throw new RegistryFault("UNSUPPORTED", problem);
  }

  /** Clients look here for the way to authenticate. */
  #base(isAnonymous: boolean): HttpResponse {
    if (isAnonymous) throw unauthenticated("credentials are required");
    return { status: 200, headers: { "content-type": "application/json" }, body: "{}" };
  }

  #operation(method: string, target: Exclude<Target, { kind: "base" | "catalog" }>): Operation {
    const deps = this.#deps;
    const isRead = method === "GET" || method === "HEAD";
    switch (target.kind) {
      case "blob":
        if (isRead) return ["pull", "getBlob", (one) => getBlob(deps, one, target.digest)];
        if (method === "DELETE")
          return ["delete", "deleteBlob", (one) => deleteBlob(deps, one, target.digest)];
        break;
      case "uploads":
        if (method === "POST") return ["push", "startUpload", (one) => startUpload(deps, one)];
        break;
      case "upload":
        if (isRead) return ["push", "getUpload", (one) => uploadProgress(deps, one, target.id)];
        if (method === "PATCH")
          return ["push", "continueUpload", (one) => continueUpload(deps, one, target.id)];
        if (method === "PUT")
          return ["push", "finishUpload", (one) => finishUpload(deps, one, target.id)];
        if (method === "DELETE")
          return ["push", "cancelUpload", (one) => cancelUpload(deps, one, target.id)];
        break;
      case "manifest": {
        const { reference } = target;
        if (isRead)
          return ["pull", "getManifest", (one) => getManifest(deps, this.#pulls, one, reference)];
        if (method === "PUT")
          return ["push", "putManifest", (one) => putManifest(deps, one, reference)];
        if (method === "DELETE")
          return ["delete", "deleteManifest", (one) => deleteManifest(deps, one, reference)];
        break;
      }
      case "tags":
        if (isRead) return ["pull", "listTags", (one) => listTags(deps, one)];
        break;
      case "referrers":
        if (isRead)
          return ["pull", "listReferrers", (one) => listReferrers(deps, one, target.digest)];
        break;
    }
    throw new RegistryFault("UNSUPPORTED", `${method} is not supported here`);
  }
}

/** Clients print warnings, so that users replace the former name before it ends. */
function renameWarning(
  { renamedTo }: ResolvedPath,
  { headers }: HttpResponse,
): OutgoingHttpHeaders {
  if (renamedTo === undefined) return {};
  const others = headers.warning === undefined ? [] : [headers.warning].flat();
  return { warning: [...others, `299 - "renamed to ${renamedTo}"`].join(", ") };
}
