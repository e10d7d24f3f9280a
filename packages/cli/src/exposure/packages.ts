import type { ImageDifference } from "@wharf/client";
import type { Run } from "../command/types.ts";
import { counted } from "../output/counted.ts";
import { resolveScope } from "../resolve/groups.ts";
import { REPO } from "../resolve/kinds.ts";
import { resolveUid } from "../resolve/resolve.ts";
import { definedFields } from "../resource/values.ts";
import { imageName, PACKAGE_IMAGE_COLUMNS, severityWord } from "./columns.ts";
import type { diffDefinition, packagesDefinition, searchDefinition } from "./commands.ts";
import { isDigest, splitImage, type WrittenImage } from "./image-argument.ts";

export const packages: Run<typeof packagesDefinition> = async (context, args) => {
  const { ecosystem, versions, inUse } = args;
  const request = {
    uidp: await resolveScope(context, args),
    package: args.package,
    ...definedFields({ ecosystem, versionRange: versions, inUse: inUse || undefined }),
  };
  const { inventory } = await context.client();
  const items = inventory.listPackageImagesAll(request, { signal: context.signal });
  await context.progress("listing images", () =>
    context.out.list(items, PACKAGE_IMAGE_COLUMNS, {
      id: ({ digest }) => digest,
      what: "images with this package",
      arrangement: args,
    }),
  );
};

interface DiffLine {
  readonly change: string;
  readonly kind: string;
  readonly name: string;
  readonly from: string;
  readonly to: string;
}

const DIFF_COLUMNS = [
  { header: "Change", value: ({ change }: DiffLine) => change },
  { header: "Kind", value: ({ kind }: DiffLine) => kind },
  { header: "Name", value: ({ name }: DiffLine) => name, whole: true },
  { header: "From", value: ({ from }: DiffLine) => from },
  { header: "To", value: ({ to }: DiffLine) => to },
] as const;

export const diff: Run<typeof diffDefinition> = async (context, args) => {
  const from = splitImage(args.from);
  const to = secondImage(args.to, from);
  const { findings } = await context.client();
  const difference = await findings.diffImages(
    {
      fromRepoUid: await resolveUid(context, REPO, from.repo),
      from: from.name,
      toRepoUid: await resolveUid(context, REPO, to.repo),
      to: to.name,
      ...definedFields({ platform: args.platform }),
    },
    { signal: context.signal },
  );
  for (const warning of difference.warnings) context.err.warn(warning);
  if (["json", "yaml"].includes(context.out.format)) {
    return context.out.one(difference, [{ header: "From", value: (one) => one.fromDigest }]);
  }
  await context.out.list(diffLines(difference), DIFF_COLUMNS, {
    id: ({ name }) => name,
    what: "differences",
  });
};

/** A digest or tag alone is one of the first image's repo. */
function secondImage(text: string, first: WrittenImage): WrittenImage {
  if (isDigest(text) || !/[:@/]/.test(text)) return { repo: first.repo, name: text };
  return splitImage(text);
}

/** Findings first: they are why people compare images. */
function diffLines(difference: ImageDifference): DiffLine[] {
  const { addedFindings, removedFindings } = difference;
  const { addedPackages, removedPackages, changedPackages } = difference;
  const versionOf = (purl: string) => /@([^?#]*)/.exec(purl)?.[1] ?? "";
  return [
    ...addedFindings.map((one) => ({
      ...{ change: "added", kind: severityWord(one.severity), name: one.vulnerability, from: "" },
      to: `${one.package?.name} ${one.package?.version}`,
    })),
    ...removedFindings.map((one) => ({
      ...{ change: "removed", kind: severityWord(one.severity), name: one.vulnerability, to: "" },
      from: `${one.package?.name} ${one.package?.version}`,
    })),
    ...changedPackages.map(({ name, previous, current }) => ({
      ...{ change: "changed", kind: "package", name },
      ...{ from: versionOf(previous), to: versionOf(current) },
    })),
    ...addedPackages.map(({ name, version }) => ({
      ...{ change: "added", kind: "package", name, from: "", to: version },
    })),
    ...removedPackages.map(({ name, version }) => ({
      ...{ change: "removed", kind: "package", name, from: version, to: "" },
    })),
  ];
}

interface Hit {
  readonly kind: string;
  readonly name: string;
  readonly detail: string;
}

const HIT_COLUMNS = [
  { header: "Kind", value: ({ kind }: Hit) => kind },
  { header: "Name", value: ({ name }: Hit) => name, whole: true },
  { header: "Detail", value: ({ detail }: Hit) => detail },
] as const;

export const search: Run<typeof searchDefinition> = async (context, args) => {
  const uidp = await resolveScope(context, args);
  const { inventory } = await context.client();
  const found = await inventory.searchExposure(
    { uidp, query: args.text },
    { signal: context.signal },
  );
  const hits: Hit[] = [
    ...found.vulnerabilities.map(({ vulnerability, severity, images, summary }) => ({
      ...{ kind: "vulnerability", name: vulnerability },
      detail: `${severityWord(severity)}, ${counted(Number(images), "image")}${summary && `: ${summary}`}`,
    })),
    ...found.packages.map(({ ecosystem, name, images, versions }) => ({
      ...{ kind: "package", name },
      detail: `${ecosystem} ${versions.join(", ")}, ${counted(Number(images), "image")}`,
    })),
    ...found.images.map((image) => ({
      ...{ kind: "image", name: imageName(image) },
      detail:
        image.severities
          .filter(({ open }) => open > 0n)
          .map(({ severity, open }) => `${open} ${severityWord(severity)}`)
          .join(", ") || "no findings",
    })),
  ];
  await context.out.list(hits, HIT_COLUMNS, { id: ({ name }) => name, what: "matches" });
};
