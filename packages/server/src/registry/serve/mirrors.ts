import type { HttpResponse } from "../../wire/endpoint.ts";
import type { RepoRequest } from "./deps.ts";
import type { TagPage } from "./lists.ts";
import type { ServedManifest } from "./served-manifest.ts";

/** The contents of repositories whose images come from an upstream. Undefined for repositories of the registry itself. */
export interface Mirrors {
  /** The manifest to send, of what the repository has locally, and of what the upstream has now. */
  manifest(
    request: RepoRequest,
    reference: string,
    local: ServedManifest | undefined,
  ): Promise<ServedManifest | undefined>;
  /** A blob that the repository does not have yet. */
  blob(request: RepoRequest, digest: string): Promise<HttpResponse | undefined>;
  /** A page of the tags at the upstream. */
  tags(request: RepoRequest, after: string, limit: number): Promise<TagPage | undefined>;
  /** The manifests at the upstream that are attached to a digest. */
  referrers(request: RepoRequest, subject: string): Promise<readonly object[] | undefined>;
  /** Why nothing can be pushed; undefined if it can. */
  pushProblem(request: Pick<RepoRequest, "path" | "name">): Promise<string | undefined>;
}
