import type { Image, ImageLocation, Repo } from "@wharf/client";
import { ImageKind } from "@wharf/contract";
import type { Run } from "../command/types.ts";
import type { Context } from "../context.ts";
import { failed } from "../errors.ts";
import { deleteImages } from "../images/delete-images.ts";
import { problemOf } from "../problem.ts";
import { REPO } from "../resolve/kinds.ts";
import { resolve } from "../resolve/resolve.ts";
import type { deleteDefinition } from "./commands.ts";

interface LocatedRepo {
  readonly repo: Repo;
  readonly locations: readonly ImageLocation[];
}

/** Deletes repos one by one, after one confirmation for all; with --images, their images first. */
export const remove: Run<typeof deleteDefinition> = async (context, args) => {
  const { err, signal } = context;
  const found = await Promise.all(
    args.repos.map(async (text) => withLocations(context, await resolve(context, REPO, text))),
  );
  await context.confirm(questionOf(found, args.images));
  const { repos } = await context.client();
  for (const { repo, locations } of found) {
    if (args.images) await removeImages(context, { repo, locations });
    await repos.delete({ uid: repo.uid }, { signal });
    err.note(`deleted repo ${repo.name}`);
    if (!args.images && locations.length > 0) {
      err.note(
        `its images stay at ${namesOf(locations)}: a push there creates the repo again; --images deletes them`,
      );
    }
  }
};

async function withLocations(context: Context, repo: Repo): Promise<LocatedRepo> {
  const { images } = await context.client();
  try {
    const request = { repoUid: repo.uid };
    const { locations } = await images.listLocations(request, { signal: context.signal });
    return { repo, locations };
  } catch (error) {
    // Deleting does not take the capability to list.
    if (problemOf(error).code !== "PERMISSION_DENIED") throw error;
    return { repo, locations: [] };
  }
}

function questionOf(found: readonly LocatedRepo[], withImages: boolean): string {
  const [only] = found as [LocatedRepo];
  const repos =
    found.length === 1
      ? `repo ${only.repo.name} (${only.repo.uid})`
      : `${found.length} repos: ${found.map(({ repo }) => repo.name).join(", ")}`;
  const locations = found.flatMap((one) => one.locations);
  if (locations.length === 0) return `Delete ${repos}?`;
  return withImages
    ? `Delete ${repos} and all images at ${namesOf(locations)}?`
    : `Delete ${repos}? The images stay at ${namesOf(locations)}.`;
}

/** Locations that a question or a note names. */
const MAX_NAMED_LOCATIONS = 5;

function namesOf(locations: readonly ImageLocation[]): string {
  const names = locations.slice(0, MAX_NAMED_LOCATIONS).map(({ host, path }) => `${host}/${path}`);
  const more =
    locations.length > MAX_NAMED_LOCATIONS
      ? ` and ${locations.length - MAX_NAMED_LOCATIONS} more`
      : "";
  return `${names.join(", ")}${more}`;
}

/** Deletes the images of a repo; the repo stays if one cannot be deleted. */
async function removeImages(context: Context, { repo, locations }: LocatedRepo): Promise<void> {
  const { signal } = context;
  const { images } = await context.client();
  const all = await Array.fromAsync<Image>(images.listAll({ repoUid: repo.uid }, { signal }));
  if (all.length === 0) return;
  if (!locations.some(({ attached }) => attached)) {
    throw failed(
      `no attached registry has the images of ${repo.name}`,
      "without --images, the repo is deleted here and the images stay where they are",
    );
  }
  const ordered = all.toSorted((a, b) => rankOf(a) - rankOf(b));
  await deleteImages(
    context,
    ordered.map(({ digest }) => ({ repo, digest })),
  );
}

/** Registries reject deleting an image that an index contains, or that something is attached to. */
function rankOf({ kind, subject }: Image): number {
  if (subject !== "") return 0;
  return kind === ImageKind.INDEX ? 1 : 2;
}
