import { Link } from "@tanstack/react-router";
import type { FindingJson, TagExposureJson } from "@wharf/contract/messages";
import { api } from "../../api/client.ts";
import { usePages } from "../../api/pages.ts";
import { screenLink } from "../../app/location.ts";
import { texts } from "../../texts/common.ts";
import { exposureTexts } from "../../texts/exposure.ts";
import { Digest } from "../../ui/digest.tsx";
import { Empty, Failed, Loading } from "../../ui/feedback.tsx";
import { GrowingTable } from "../../ui/growing-table.tsx";
import type { Column } from "../../ui/table.tsx";
import { Age } from "../../ui/time.tsx";
import { tagState } from "./tag-state.ts";

const { vulnerability: words } = exposureTexts;

const TONES = { fixed: "good", affected: "bad", unknown: "warn", suppressed: "calm" } as const;

const NAMES = {
  fixed: words.fixedTags,
  affected: words.affectedTags,
  unknown: words.unknownTags,
  suppressed: words.suppressedTags,
} as const;

/** For each repository with an affected image: which of its tags have the fix. */
export function FixedTags({ scope, name }: { readonly scope: object; readonly name: string }) {
  const found = usePages(
    api.findings.list,
    { ...scope, orderBy: "repo", pageSize: 200 },
    ({ findings }) => findings,
  );
  if (found.error !== null) return <Failed error={found.error} />;
  if (found.total === undefined) return <Loading />;
  const repos = new Map(found.rows.map((one) => [one.repoUid ?? "", one]));
  if (repos.size === 0) return <Empty title={words.noRepos}>{words.noReposText}</Empty>;
  return (
    <>
      <p className="lead">{words.fixedLead}</p>
      {[...repos.values()].map((one) => (
        <RepoTags key={one.repoUid} repo={one} name={name} />
      ))}
      {found.hasMore && (
        <button type="button" className="button quiet small" onClick={() => found.more()}>
          {texts.more}
        </button>
      )}
    </>
  );
}

function RepoTags({
  repo: { repoUid = "", repoPath = "" },
  name,
}: {
  readonly repo: FindingJson;
  readonly name: string;
}) {
  const pages = usePages(
    api.findings.listFixedTags,
    { repoUid, vulnerability: name, pageSize: 50 },
    ({ tags }) => tags,
  );
  const isComplete = !pages.hasMore && pages.total !== undefined;
  const hasFix = pages.rows.some((one) => tagState(one) === "fixed");
  return (
    <section aria-label={repoPath}>
      <h2>
        <Link {...screenLink("repo", repoUid)}>{repoPath}</Link>
      </h2>
      {isComplete && !hasFix && <p>{words.noFixedTag}</p>}
      <GrowingTable
        label={repoPath}
        pages={pages}
        columns={columnsOf(repoUid)}
        keyOf={({ tag = "" }) => tag}
        empty={<p className="soft">{words.noTags}</p>}
      />
    </section>
  );
}

function columnsOf(repo: string): readonly Column<TagExposureJson>[] {
  return [
    { header: texts.columns.tags, cell: ({ tag }) => tag },
    {
      header: texts.columns.status,
      cell: (tag) => (
        <span className={`badge ${TONES[tagState(tag)]}`}>{NAMES[tagState(tag)]}</span>
      ),
    },
    {
      header: exposureTexts.columns.version,
      cell: ({ versions = [] }) => versions.join(", "),
    },
    {
      header: texts.columns.digest,
      cell: ({ digest = "" }) => <Digest digest={digest} repo={repo} />,
    },
    {
      header: texts.columns.updated,
      cell: ({ updateTime }) => <Age time={updateTime} />,
      isExtra: true,
    },
  ];
}
