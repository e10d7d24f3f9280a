import type { CreateDeps } from "../engine/write/creates.ts";
import type { TagWrites } from "../registry/tags/tag-writes.ts";
import type { Api } from "../wire/api.ts";
import { v1Handlers } from "./handlers.ts";

/** Registers the methods of version 1, which invoke those of version 2. */
export function registerV1(api: Api, deps: CreateDeps, tagWrites: TagWrites): void {
  api.handlers.bindAll(v1Handlers(api.invoke, deps, tagWrites));
}
