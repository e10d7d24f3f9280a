import type { RepoJson } from "@wharf/contract/messages";
import { useState } from "react";
import { useAccess } from "../../api/access.ts";
import { api, client, useChange, useRead } from "../../api/client.ts";
import { parentOf, screenLink } from "../../app/location.ts";
import { texts } from "../../texts/common.ts";
import { repoTexts } from "../../texts/registry.ts";
import { CheckField, SelectField, TextArea, TextField } from "../../ui/fields.tsx";
import { CreateDialog, EditDialog, FormDialog } from "../../ui/form.tsx";

type Tier = NonNullable<RepoJson["catalogTier"]>;

export function CreateRepo({ parent }: { readonly parent: string }) {
  const create = useChange(api.repos.create);
  return (
    <CreateDialog
      submit={repoTexts.create}
      onSubmit={async (text) => {
        const name = text("name");
        const repo = { name, description: text("description") };
        const { uid = "" } = await create.mutateAsync({ parent, repo });
        return { message: repoTexts.created(name), open: screenLink("repo", uid) };
      }}
    >
      <TextField name="name" label={texts.columns.name} hint={repoTexts.createHint} isRequired />
      <TextArea name="description" label={texts.columns.description} />
    </CreateDialog>
  );
}

export function EditRepo({ repo }: { readonly repo: RepoJson }) {
  const { uid = "", name = "", description, catalogTier } = repo;
  const update = useChange(api.repos.update, [], ({ repo }) => repo);
  return (
    <EditDialog
      title={repoTexts.editTitle(name)}
      trigger={repoTexts.edit}
      onSubmit={async (text) => {
        await update.mutateAsync({
          repo: {
            uid,
            name: text("name"),
            description: text("description"),
            catalogTier: text("catalogTier") as Tier,
          },
          updateMask: "name,description,catalogTier",
        });
        return { message: repoTexts.edited(text("name")) };
      }}
    >
      <TextField name="name" label={texts.columns.name} value={name} isRequired />
      <TextArea name="description" label={texts.columns.description} value={description} />
      <SelectField
        name="catalogTier"
        label={repoTexts.tier}
        options={repoTexts.tiers}
        value={catalogTier}
      />
    </EditDialog>
  );
}

/** Deletes a repo; its images stay unless they are deleted first, one by one, as the CLI does. */
export function DeleteRepo({ repo: { uid = "", name = "" } }: { readonly repo: RepoJson }) {
  const remove = useChange(api.repos.delete);
  const { can } = useAccess();
  const { data } = useRead(api.images.listLocations, { repoUid: uid });
  const [count, setCount] = useState(0);
  const places = (data?.locations ?? []).map(({ host, path }) => `${host}/${path}`);
  const mayDeleteImages = can("manifest.delete", uid) && can("tag.delete", uid);
  return (
    <FormDialog
      title={repoTexts.deleteTitle(name)}
      submit={texts.delete}
      isDangerous
      className="button quiet"
      onSubmit={async (text) => {
        if (text("images") === "on") await deleteImages(uid, setCount);
        await remove.mutateAsync({ uid });
        return { message: repoTexts.deleted(name), open: screenLink("repos", parentOf(uid)) };
      }}
    >
      <p>
        {places.length === 0 ? repoTexts.deleteNothing : repoTexts.deleteText(places.join(", "))}
      </p>
      {places.length > 0 && mayDeleteImages && (
        <CheckField
          name="images"
          label={repoTexts.deleteImages}
          hint={repoTexts.deleteImagesHint}
        />
      )}
      <p role="status">{count > 0 && repoTexts.deleting(count)}</p>
    </FormDialog>
  );
}

/** Deletes all images of a repo. An index before its images: registries keep what an index needs. */
async function deleteImages(repoUid: string, onDeleted: (count: number) => void): Promise<void> {
  for (let count = 0; ; ) {
    const { images = [] } = await client.call(api.images.list, { repoUid, pageSize: 100 });
    if (images.length === 0) return;
    const indexesFirst = images.toSorted(
      (one, other) => (other.children?.length ?? 0) - (one.children?.length ?? 0),
    );
    for (const { digest = "" } of indexesFirst) {
      await client.call(api.images.delete, { repoUid, digest });
      onDeleted(++count);
    }
  }
}
