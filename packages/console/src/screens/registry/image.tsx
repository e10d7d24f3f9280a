import type { ImageJson, ImageManifestJson } from "@wharf/contract/messages";
import { useAccess } from "../../api/access.ts";
import { api, useChange, useRead } from "../../api/client.ts";
import { useImage } from "../../api/images.ts";
import { parentOf, screenLink, useScreenLocation } from "../../app/location.ts";
import { texts } from "../../texts/common.ts";
import { imageTexts } from "../../texts/registry.ts";
import { bytesText } from "../../ui/bytes.ts";
import { Code } from "../../ui/code.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { Digest, shortDigest } from "../../ui/digest.tsx";
import { Facts } from "../../ui/facts.tsx";
import { Failed, Loading } from "../../ui/feedback.tsx";
import { Page } from "../../ui/page.tsx";
import { Tabs, useTab } from "../../ui/tabs.tsx";
import { Age } from "../../ui/time.tsx";
import { ImageVulnerabilities } from "../exposure/image-vulnerabilities.tsx";
import { ImagePackages } from "../exposure/inventory/packages.tsx";
import { Config, Layers, Platforms, Texts } from "./image-parts.tsx";
import { Locations } from "./locations.tsx";
import { PullCommand } from "./pull-command.tsx";
import { Referrers } from "./referrers.tsx";
import { RepoLink } from "./repo-link.tsx";
import { Signatures } from "./signatures.tsx";
import { TagBadges } from "./tag-badges.tsx";

/** A manifest by digest: what is in it, what is attached to it, and where it is. */
export function Screen() {
  const { uid: group, resource } = useScreenLocation();
  const repo = parentOf(resource);
  const digest = resource.split("/").at(-1) ?? "";
  const image = useImage(repo, digest);
  const { data } = useRead(api.repos.get, { uid: repo });
  const { can } = useAccess();
  if (image.error !== null || image.data === null) {
    return (
      <Page title={texts.notFound.title} group={group}>
        {image.error === null ? <p>{texts.notFound.text}</p> : <Failed error={image.error} />}
      </Page>
    );
  }
  if (image.data === undefined || data === undefined) return <Loading />;
  const mayDelete = can("manifest.delete", repo) && can("tag.delete", repo);
  return (
    <Page
      title={`${data.name}@${shortDigest(digest)}`}
      group={group}
      command={{
        cli: `wharf api GET /registry/v2beta1/repos/${repo}/digests/${digest}/manifest`,
        rest: `/registry/v2beta1/repos/${repo}/digests/${digest}/manifest`,
      }}
      actions={mayDelete && <DeleteImage repo={repo} image={image.data} />}
    >
      <p className="lead">
        <RepoLink uid={repo} />
      </p>
      {image.data.kind === "IMAGE_KIND_ARTIFACT" ? (
        <Code text={digest} />
      ) : (
        <PullCommand repo={repo} name={data.name ?? ""} reference={`@${digest}`} />
      )}
      {image.data.kind === "IMAGE_KIND_ARTIFACT" ? (
        <Overview repo={repo} image={image.data} />
      ) : (
        <Content repo={repo} image={image.data} />
      )}
    </Page>
  );
}

/** The parts of an image, its packages and vulnerabilities among them. */
function Content({ repo, image }: { readonly repo: string; readonly image: ImageJson }) {
  const tab = useTab(imageTexts.imageTabs);
  const { digest = "" } = image;
  return (
    <>
      <Tabs label={imageTexts.imageLabel} tabs={imageTexts.imageTabs} />
      {tab === "overview" && <Overview repo={repo} image={image} />}
      {tab === "vulnerabilities" && <ImageVulnerabilities repo={repo} digest={digest} />}
      {tab === "packages" && <ImagePackages repo={repo} digest={digest} />}
    </>
  );
}

/** The content of a manifest, its attachments, and its locations. */
function Overview({ repo, image }: { readonly repo: string; readonly image: ImageJson }) {
  const { digest = "" } = image;
  const manifest = useRead(api.images.getManifest, { repoUid: repo, digest });
  return (
    <>
      <About repo={repo} image={image} manifest={manifest.data} />
      {manifest.error !== null && <Failed error={manifest.error} />}
      {manifest.data !== undefined && <Parts repo={repo} image={image} of={manifest.data} />}
      {image.kind !== "IMAGE_KIND_ARTIFACT" && <Signatures repo={repo} digest={digest} />}
      <Referrers repo={repo} digest={digest} />
      <section aria-labelledby="locations">
        <h2 id="locations">{imageTexts.tabs.locations}</h2>
        <Locations repo={repo} />
      </section>
    </>
  );
}

function About({
  repo,
  image,
  manifest,
}: {
  readonly repo: string;
  readonly image: ImageJson;
  readonly manifest: ImageManifestJson | undefined;
}) {
  const { kind = "IMAGE_KIND_UNSPECIFIED", size, tags = [], subject, pushTime, pullTime } = image;
  const artifactType = kind === "IMAGE_KIND_ARTIFACT" ? manifest?.artifactType : "";
  return (
    <Facts
      facts={{
        [texts.columns.kind]: [imageTexts.kinds[kind], image.architecture]
          .filter(Boolean)
          .join(", "),
        [texts.columns.size]: Number(size ?? 0) > 0 && bytesText(Number(size)),
        [texts.columns.pushed]: <Age time={pushTime} />,
        [texts.columns.pulled]: pullTime === undefined ? texts.never : <Age time={pullTime} />,
        [texts.columns.mediaType]: image.mediaType && <code>{image.mediaType}</code>,
        [texts.columns.type]: artifactType && <code>{artifactType}</code>,
        [imageTexts.subject]: subject && <Digest digest={subject} repo={repo} />,
        [texts.columns.tags]: tags.length > 0 && <TagBadges repo={repo} tags={tags} />,
      }}
    />
  );
}

function Parts({
  repo,
  image: { kind, digest = "" },
  of: { manifests = [], layers = [], annotations = {} },
}: {
  readonly repo: string;
  readonly image: ImageJson;
  readonly of: ImageManifestJson;
}) {
  return (
    <>
      {manifests.length > 0 && <Platforms repo={repo} manifests={manifests} />}
      {kind === "IMAGE_KIND_IMAGE" && <Config repo={repo} digest={digest} />}
      {layers.length > 0 && <Layers layers={layers} />}
      {Object.keys(annotations).length > 0 && (
        <section aria-labelledby="annotations">
          <h2 id="annotations">{imageTexts.annotations}</h2>
          <Texts texts={annotations} />
        </section>
      )}
    </>
  );
}

function DeleteImage({ repo, image }: { readonly repo: string; readonly image: ImageJson }) {
  const remove = useChange(api.images.delete, [api.tags.list]);
  const { digest = "", tags = [] } = image;
  return (
    <ConfirmDialog
      change={remove}
      request={{ repoUid: repo, digest }}
      title={imageTexts.deleteImageTitle}
      trigger={imageTexts.deleteImage}
      message={imageTexts.deletedImage}
      open={screenLink("repo", repo)}
    >
      <p>{imageTexts.deleteImageText(tags.length)}</p>
    </ConfirmDialog>
  );
}
