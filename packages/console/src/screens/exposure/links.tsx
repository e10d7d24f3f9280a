import { Link } from "@tanstack/react-router";
import type { FindingJson } from "@wharf/contract/messages";
import { screenLink, useScreenLocation } from "../../app/location.ts";
import { exposureTexts } from "../../texts/exposure.ts";
import { shortDigest } from "../../ui/digest.tsx";
import { InUseBadge } from "./badges.tsx";

/** Tags that a row shows; the screen of the image has the others. */
const SHOWN_TAGS = 3;

/** A vulnerability by name, which leads to its screen at a group: the current one, unless another is given. */
export function VulnerabilityLink({ name = "" }: { readonly name?: string | undefined }) {
  const { uid } = useScreenLocation();
  return (
    <Link {...screenLink("vulnerability", `${uid}/${name}`)} className="whole">
      {name}
    </Link>
  );
}

/** A package by name, which leads to the images that contain it. */
export function PackageLink({ name = "" }: { readonly name?: string | undefined }) {
  const { uid } = useScreenLocation();
  return (
    <Link {...screenLink("package", uid)} search={{ package: name } as never}>
      {name}
    </Link>
  );
}

/** An image by its repository and tags, with a link to its vulnerabilities. */
export function ImageLink({
  image: { repoUid = "", repoPath = "", digest = "", tags = [], platform, inUse },
}: {
  readonly image: Pick<
    FindingJson,
    "repoUid" | "repoPath" | "digest" | "tags" | "platform" | "inUse"
  >;
}) {
  const more = tags.length - SHOWN_TAGS;
  return (
    <>
      <Link
        {...screenLink("image", `${repoUid}/${digest}`)}
        search={{ tab: "vulnerabilities" } as never}
        title={digest}
      >
        {repoPath}
        {tags.length === 0 && `@${shortDigest(digest)}`}
      </Link>{" "}
      <span className="badges">
        {tags.slice(0, SHOWN_TAGS).map((tag) => (
          <span key={tag} className="badge plain">
            {tag}
          </span>
        ))}
        {more > 0 && <small className="soft">{exposureTexts.more(more)}</small>}
        <InUseBadge inUse={inUse} />
      </span>
      {platform && <small className="soft">{platform}</small>}
    </>
  );
}
