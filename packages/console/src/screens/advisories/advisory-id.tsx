import { Link } from "@tanstack/react-router";
import type { AdvisoryJson } from "@wharf/contract/messages";
import { screenLink } from "../../app/location.ts";
import { advisoryTexts } from "../../texts/advisories.ts";
import type { Column } from "../../ui/table.tsx";

/** Vulnerabilities of an advisory that its row shows. */
const SHOWN_ALIASES = 2;

/** The advisory of a row, with its vulnerabilities. */
export const ADVISORY_ID: Column<AdvisoryJson> = {
  header: advisoryTexts.id,
  cell: (advisory) => (
    <>
      <AdvisoryLink advisory={advisory} />
      <Aliases aliases={advisory.aliases ?? []} />
    </>
  ),
};

function AdvisoryLink({
  advisory: { uid = "", advisoryId, deleteTime },
}: {
  readonly advisory: AdvisoryJson;
}) {
  return (
    <>
      <Link {...screenLink("advisory", uid)} className="whole">
        {advisoryId}
      </Link>{" "}
      {deleteTime !== undefined && (
        <span className="badge plain">{advisoryTexts.deletedBadge}</span>
      )}
    </>
  );
}

function Aliases({ aliases }: { readonly aliases: readonly string[] }) {
  const more = aliases.length - SHOWN_ALIASES;
  const shown = aliases.slice(0, SHOWN_ALIASES).join(", ");
  if (shown === "") return null;
  return (
    <small className="soft">
      {shown} {more > 0 && advisoryTexts.moreAliases(more)}
    </small>
  );
}
