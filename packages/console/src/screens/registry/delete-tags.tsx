import { WharfError } from "@wharf/client/json";
import type { TagJson } from "@wharf/contract/messages";
import { useState } from "react";
import { api, client, queries, serviceOf } from "../../api/client.ts";
import { useImages } from "../../api/images.ts";
import { imageTexts } from "../../texts/registry.ts";
import { Described } from "../../ui/described.tsx";
import { sentenceOf } from "../../ui/error-text.ts";
import { FormDialog } from "../../ui/form.tsx";
import { isSignInNeeded } from "../../ui/sign-in-again.tsx";

/** Images have this many names of their tags at most. */
const MAX_TAGS = 100;

/** A button that deletes the selected tags. Those that cannot be deleted stay selected, with the reasons. */
export function DeleteTags({
  repo,
  tags,
  setSelected,
}: {
  readonly repo: string;
  readonly tags: readonly TagJson[];
  readonly setSelected: (tags: readonly TagJson[]) => void;
}) {
  const [reasons, setReasons] = useState<ReadonlyMap<string, string>>(new Map());
  const remove = async () => {
    const failed = await deleteAll(tags);
    setReasons(failed);
    setSelected(tags.filter(({ uid = "" }) => failed.has(uid)));
    if (failed.size > 0) throw new Error(imageTexts.tagsNotDeleted(failed.size, tags.length));
    return { message: imageTexts.deletedTags(tags.length) };
  };
  return (
    <FormDialog
      title={imageTexts.deleteTagsTitle(tags.length)}
      submit={imageTexts.deleteTags(tags.length)}
      className="button quiet"
      isDangerous
      onSubmit={remove}
    >
      <ul className="tag-rules" aria-label={imageTexts.tabs.tags}>
        {tags.map(({ uid = "", name }) => (
          <li key={uid}>
            <Described text={reasons.get(uid)}>{name}</Described>
          </li>
        ))}
      </ul>
      <Untagged repo={repo} tags={tags} />
    </FormDialog>
  );
}

/** The number of images of which all tags are among these. */
function Untagged({ repo, tags }: { readonly repo: string; readonly tags: readonly TagJson[] }) {
  const digests = [...new Set(tags.map(({ digest = "" }) => digest))].sort();
  const { data: images } = useImages(repo, digests);
  if (images === undefined) return null;
  const names = new Set(tags.map(({ name }) => name));
  const count = images.filter(
    (image) => (image.tags ?? []).length < MAX_TAGS && image.tags?.every((one) => names.has(one)),
  ).length;
  return <p>{imageTexts.leftUntagged(count)}</p>;
}

/** Deletes tags one by one; the reasons of those that cannot be deleted, by their uids. */
async function deleteAll(tags: readonly TagJson[]): Promise<ReadonlyMap<string, string>> {
  const failed = new Map<string, string>();
  try {
    for (const { uid = "" } of tags) {
      try {
        await client.call(api.tags.delete, { uid });
      } catch (error) {
        if (!(error instanceof WharfError) || isSignInNeeded(error)) throw error;
        // It is gone already.
        if (error.code !== "NOT_FOUND") failed.set(uid, sentenceOf(error));
      }
    }
  } finally {
    for (const method of [api.tags.list, api.repos.list, api.deletedTags.list]) {
      queries.invalidateQueries({ queryKey: [serviceOf(method as { path: string })] });
    }
  }
  return failed;
}
