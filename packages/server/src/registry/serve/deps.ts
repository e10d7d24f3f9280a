import type { AuditedDeps } from "../../engine/audit/aggregator.ts";
import type { WriteDeps } from "../../engine/write/mutation.ts";
import type { Logger } from "../../observe/logger.ts";
import type { Metrics } from "../../observe/metrics.ts";
import type { HttpRequest } from "../../wire/endpoint.ts";
import type { Collector } from "../collection/collector.ts";
import type { ContentTimes } from "../content-times.ts";
import type { ResolvedPath } from "../path.ts";
import type { ContentStorage } from "../storage/content-storage.ts";
import type { RegistryAuthorizer, RegistryCaller } from "./access.ts";
import type { Mirrors } from "./mirrors.ts";

/** The dependencies of the request handlers of the registry. */
export interface ServeDeps extends WriteDeps, AuditedDeps {
  readonly storage: ContentStorage;
  readonly authorizer: RegistryAuthorizer;
  readonly log: Logger;
  readonly mirrors: Mirrors;
  /** Pushes leave so many bytes of their disks to others. */
  readonly minFreeBytes: number;
  /** Free bytes of the database's disk, if it is one of this machine: manifests are rows. */
  readonly databaseFreeBytes: () => Promise<number>;
  readonly times: ContentTimes;
}

/** The dependencies of the tasks beside requests. */
export interface BackgroundDeps {
  readonly metrics: Pick<Metrics, "count" | "watchGauge">;
  /** The rate of the scrub; 0: off. */
  readonly scrubBytesPerSecond: number;
  readonly collector: Collector;
  readonly upstreams: { start(): void; stop(): Promise<void> };
}

/** An authorized request about one repository. */
export interface RepoRequest {
  readonly request: HttpRequest;
  readonly caller: RegistryCaller;
  /** The host of the registry that the client named. */
  readonly host: string;
  /** The name of the repository. */
  readonly name: string;
  readonly path: ResolvedPath;
  readonly time: number;
}
