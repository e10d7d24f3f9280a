import { create } from "@bufbuild/protobuf";
import { parentOf, type Tag, TagSchema } from "@wharf/contract";
import { Change } from "../engine/change.ts";
import type { Engine } from "../engine/engine.ts";
import { invalidArgument, notFound } from "../errors.ts";
import type { Call } from "../rpc/call.ts";
import { mustBeUid, validate } from "../rpc/validate.ts";
import { recordTag } from "./contents.ts";

/**
 * Replaces a tag that is there. Its name stays: it is what the tag is known by.
 *
 * @example const tag = await replaceTag(engine, call, given);
 */
export async function replaceTag(engine: Engine, call: Call, given: Tag): Promise<Tag> {
  const { uid, name, digest, deprecated, bundles } = given;
  mustBeUid("uid", uid);
  validate(TagSchema, create(TagSchema, { name, digest, bundles }));
  return engine.store.write(async (tx) => {
    const { repos, tags } = engine;
    // The repo first, as all do who change its tags.
    await repos.table.findForChange(tx, parentOf(uid));
    const row = await tags.table.findForChange(tx, uid);
    if (row === undefined) throw notFound(tags.typeName, uid);
    if (tags.fromRow(row).name !== name) {
      throw invalidArgument({ field: "name", description: "name cannot be changed" });
    }
    const news = { name, digest, deprecated, bundles, toldBy: call.method };
    const { tag } = await recordTag(new Change(call, tx, engine), parentOf(uid), news);
    return tag as Tag;
  });
}
