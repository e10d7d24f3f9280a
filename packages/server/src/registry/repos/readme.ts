import { create, type DescMethod } from "@bufbuild/protobuf";
import {
  type GetRepoReadmeRequest,
  type RepoReadme,
  RepoReadmeSchema,
  ReposService,
  type UpdateRepoReadmeRequest,
} from "@wharf/contract";
import { audit } from "../../engine/audit/audit.ts";
import type { ResourceStore } from "../../engine/catalog.ts";
import { readMask } from "../../engine/write/mask.ts";
import { Mutation, type WriteDeps } from "../../engine/write/mutation.ts";
import { invalidArgument, notFound, type WharfError } from "../../lib/errors.ts";
import type { Handler } from "../../rpc/call.ts";
import { messageToJson } from "../../rpc/json.ts";
import { messageReply } from "../../rpc/reply.ts";
import { mustBeUid, validate } from "../../rpc/validate.ts";
import type { Reader } from "../../store/db/connection.ts";
import { readReadme, writeReadme } from "../../store/tables/registry/repo-readmes.ts";
import { type UnsafeHtml, unsafeHtml } from "./readme-html.ts";
import { type UnsafeLink, unsafeLink, withoutUnsafeLinks } from "./readme-links.ts";

const MAX_README_BYTES = 1024 * 1024;

export function readmeMethods(deps: WriteDeps): [DescMethod, Handler][] {
  const { method } = ReposService;
  return [
    [method.getRepoReadme, getReadme(deps)],
    [method.updateRepoReadme, updateReadme(deps)],
  ];
}

function getReadme(deps: ResourceStore): Handler {
  return async (_call, message) => {
    const { uid } = message as GetRepoReadmeRequest;
    const { reader } = deps.store;
    const { repos } = deps.catalog;
    if ((await repos.find(reader, uid)) === undefined) throw notFound(repos.typeName, uid);
    return messageReply(RepoReadmeSchema, readmeOf(uid, await readSafeReadme(reader, uid)));
  };
}

function readmeOf(uid: string, content: string): RepoReadme {
  return create(RepoReadmeSchema, { uid, content });
}

function updateReadme(deps: WriteDeps): Handler {
  return async (call, message) => {
    const { repoReadme, updateMask } = message as UpdateRepoReadmeRequest;
    const input = repoReadme ?? create(RepoReadmeSchema);
    const { uid, content } = input;
    mustBeUid("uid", uid);
    const isGiven = readMask(RepoReadmeSchema, updateMask?.paths ?? [], input).length > 0;
    if (isGiven) check(input);
    const answer = await deps.store.writeFor(call, async (tx) => {
      const { repos } = deps.catalog;
      if (!(await repos.table.keep(tx, uid))) throw notFound(repos.typeName, uid);
      const before = await readSafeReadme(tx, uid);
      if (!isGiven || content === before) return readmeOf(uid, before);
      return storeReadme(new Mutation(call, tx, deps), uid, content);
    });
    return messageReply(RepoReadmeSchema, answer);
  };
}

/** Reads a README. Links that earlier versions accepted and that are rejected now are disabled. */
export async function readSafeReadme(reader: Reader, repo: string): Promise<string> {
  return withoutUnsafeLinks(await readReadme(reader, repo));
}

/** Replaces a README. The caller has checked the content. */
export async function storeReadme(
  mutation: Mutation,
  uid: string,
  content: string,
): Promise<RepoReadme> {
  await writeReadme(mutation.tx, uid, content);
  await audit(mutation.tx, mutation.call, { resource: uid });
  const after = readmeOf(uid, content);
  const body = { type: after.$typeName, json: messageToJson(RepoReadmeSchema, after) };
  mutation.emit(ReposService.method.updateRepoReadme, uid, body);
  return after;
}

/** Rejects content that is too long, or has unsafe HTML or links. */
export function checkReadme(content: string): void {
  check(readmeOf("", content));
}

function check(readme: RepoReadme): void {
  validate(RepoReadmeSchema, readme);
  if (Buffer.byteLength(readme.content) > MAX_README_BYTES) {
    const description = `content must have at most ${MAX_README_BYTES} bytes`;
    throw invalidArgument({ field: "content", description });
  }
  const unsafe = unsafeHtml(readme.content);
  if (unsafe !== undefined) throw notSafe("safe HTML only", unsafe);
  const link = unsafeLink(readme.content);
  if (link !== undefined) throw notSafe("links to http, https and mailto only", link);
}

function notSafe(what: string, { line, text }: UnsafeHtml | UnsafeLink): WharfError {
  const description = `content must hold ${what}: line ${line} has ${JSON.stringify(text)}`;
  return invalidArgument({ field: "content", description });
}
