import type { HttpRequest } from "../../wire/endpoint.ts";
import { RegistryFault } from "../access/errors.ts";
import { isDigest } from "../images/manifest.ts";
import { isRepositoryName } from "../path.ts";

/** A part of the distribution API, and what a path names there. */
export type Target =
  | { readonly kind: "base" }
  | { readonly kind: "catalog" }
  | { readonly kind: "blob"; readonly name: string; readonly digest: string }
  | { readonly kind: "uploads"; readonly name: string }
  | { readonly kind: "upload"; readonly name: string; readonly id: string }
  | { readonly kind: "manifest"; readonly name: string; readonly reference: string }
  | { readonly kind: "tags"; readonly name: string }
  | { readonly kind: "referrers"; readonly name: string; readonly digest: string };

const PATH =
  /^\/v2\/(.+?)\/(?:(blobs\/uploads)(?:\/([^/]*))?|(blobs|manifests|referrers)\/([^/]+)|(tags)\/list)$/;

const TAG = /^\w[\w.-]{0,127}$/;

export function isTag(text: string): boolean {
  return TAG.test(text);
}

const UPLOAD_ID = /^[0-9a-f-]{36}$/;

/**
 * Undefined for a path that the API does not have. Throws for one with an invalid name, digest or tag. Clients may encode
 * the colons of digests; with anything else encoded, a proxy in front could see another path.
 */
export function readTarget(path: string): Target | undefined {
  if (path === "/v2/" || path === "/v2") return { kind: "base" };
  if (path === "/v2/_catalog") return { kind: "catalog" };
  const match = PATH.exec(path.replaceAll(/%3a/gi, ":"));
  if (match === null) return undefined;
  const [, name = "", uploads, id, part, reference = "", tags] = match;
  if (!isRepositoryName(name)) {
    const text = `${JSON.stringify(name)} must be ORGANIZATION/[FOLDER/]REPO, in lowercase`;
    throw new RegistryFault("NAME_INVALID", text);
  }
  if (tags !== undefined) return { kind: "tags", name };
  if (uploads !== undefined) {
    if (!id) return { kind: "uploads", name };
    if (!UPLOAD_ID.test(id)) throw new RegistryFault("BLOB_UPLOAD_UNKNOWN", "no such upload");
    return { kind: "upload", name, id };
  }
  if (part === "manifests") {
    if (reference.includes(":") && !isDigest(reference)) throw invalidDigest(reference);
    if (isDigest(reference) || isTag(reference)) return { kind: "manifest", name, reference };
    throw new RegistryFault("MANIFEST_UNKNOWN", "the reference is no tag and no digest");
  }
  if (!isDigest(reference)) throw invalidDigest(reference);
  return { kind: part === "blobs" ? "blob" : "referrers", name, digest: reference };
}

export function invalidDigest(text: string): RegistryFault {
  const shown = JSON.stringify(text.slice(0, 200));
  return new RegistryFault("DIGEST_INVALID", `${shown} must be sha256:HEX or sha512:HEX`);
}

/** The digest in the query. Throws if it is missing or invalid. */
export function digestIn({ query }: HttpRequest): string {
  const digest = new URLSearchParams(query).get("digest") ?? "";
  if (!isDigest(digest)) throw invalidDigest(digest);
  return digest;
}
