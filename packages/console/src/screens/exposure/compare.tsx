import type {
  FindingJson,
  ImageDifferenceJson,
  ImagePackageJson,
  PackageChangeJson,
} from "@wharf/contract/messages";
import { useId } from "react";
import { api, useRead } from "../../api/client.ts";
import { useListSearch, useScreenLocation } from "../../app/location.ts";
import { texts } from "../../texts/common.ts";
import { exposureTexts } from "../../texts/exposure.ts";
import { Described } from "../../ui/described.tsx";
import { Digest } from "../../ui/digest.tsx";
import { FailedPage } from "../../ui/failed-page.tsx";
import { Empty, Failed, Loading } from "../../ui/feedback.tsx";
import { PlainTable } from "../../ui/growing-table.tsx";
import { Page } from "../../ui/page.tsx";
import type { Column } from "../../ui/table.tsx";
import { RepoLink } from "../registry/repo-link.tsx";
import { FIX, PACKAGE, SEVERITY, VULNERABILITY, withoutSort } from "./findings.tsx";
import { PackageLink } from "./links.tsx";
import { findingKey } from "./model.ts";
import { versionOf } from "./purl-version.ts";

const { diff: words, columns } = exposureTexts;

/** Tags that the fields of a comparison suggest. */
const SUGGESTED = 100;

/** Differences between two images of a repository, in packages and in findings. */
export function Screen() {
  const { uid: group, resource: repo } = useScreenLocation();
  const { data, error } = useRead(api.repos.get, { uid: repo });
  const [search, setSearch] = useListSearch();
  const from = String(search.from ?? "");
  const to = String(search.to ?? "");
  const platform = String(search.platform ?? "");
  if (error !== null) return <FailedPage error={error} group={group} />;
  if (data === undefined) return <Loading />;
  return (
    <Page
      title={words.title(data.name ?? "")}
      group={group}
      command={{
        cli: `wharf exposure diff ${data.name}:${from} ${data.name}:${to}`,
        rest: `/exposure/v2beta1/difference?from_repo_uid=${repo}&from=${from}&to=${to}`,
      }}
    >
      <p className="lead">
        <RepoLink uid={repo} />
      </p>
      <form
        key={`${from} ${to} ${platform}`}
        className="filters"
        aria-label={words.compare}
        onSubmit={(event) => {
          event.preventDefault();
          const entered = new FormData(event.currentTarget);
          setSearch(
            Object.fromEntries([...entered].map(([name, value]) => [name, String(value).trim()])),
          );
        }}
      >
        <Reference name="from" label={words.from} value={from} repo={repo} />
        <Reference name="to" label={words.to} value={to} repo={repo} />
        <label>
          {words.platform}
          <input name="platform" defaultValue={platform} placeholder="linux/amd64" />
        </label>
        <button type="submit" className="button">
          {words.compare}
        </button>
        {from !== "" && to !== "" && (
          <button
            type="button"
            className="button quiet"
            onClick={() => setSearch({ from: to, to: from })}
          >
            {words.swap}
          </button>
        )}
      </form>
      {from === "" || to === "" ? (
        <Empty title={words.choose}>{words.chooseText}</Empty>
      ) : (
        <Difference
          request={{ fromRepoUid: repo, from, to, ...(platform !== "" && { platform }) }}
        />
      )}
    </Page>
  );
}

/** A field for a tag or a digest of a repository, which suggests its latest tags. */
function Reference({
  name,
  label,
  value,
  repo,
}: {
  readonly name: string;
  readonly label: string;
  readonly value: string;
  readonly repo: string;
}) {
  const id = useId();
  const { data } = useRead(api.tags.list, {
    uidp: { childrenOf: repo },
    orderBy: "update_time desc",
    pageSize: SUGGESTED,
  });
  return (
    <label>
      {label}
      <input
        name={name}
        defaultValue={value}
        placeholder={words.hint}
        list={id}
        required
        spellCheck={false}
      />
      <datalist id={id}>
        {(data?.tags ?? []).map((tag) => (
          <option key={tag.uid} value={tag.name} />
        ))}
      </datalist>
    </label>
  );
}

function Difference({
  request,
}: {
  readonly request: { fromRepoUid: string; from: string; to: string };
}) {
  const { data, error } = useRead(api.findings.diffImages, request);
  if (error !== null) return <Failed error={error} />;
  if (data === undefined) return <Loading />;
  const { warnings = [], fromDigest = "", toDigest = "" } = data;
  const packages = [data.addedPackages, data.removedPackages, data.changedPackages];
  const changed = packages.reduce((sum, some = []) => sum + some.length, 0);
  const [added, removed] = [data.addedFindings?.length ?? 0, data.removedFindings?.length ?? 0];
  return (
    <>
      {warnings.map((warning) => (
        <p key={warning} className="note" role="note">
          {warning}
        </p>
      ))}
      <p>
        <Digest digest={fromDigest} repo={request.fromRepoUid} /> →{" "}
        <Digest digest={toDigest} repo={request.fromRepoUid} />:{" "}
        <strong>{words.summary(added, removed, changed)}</strong>
      </p>
      {added + removed + changed === 0 && warnings.length === 0 && (
        <Empty title={words.same}>{words.sameText}</Empty>
      )}
      <Changes difference={data} />
    </>
  );
}

const FINDINGS: readonly Column<FindingJson>[] = [VULNERABILITY, SEVERITY, PACKAGE, FIX].map(
  withoutSort,
);

const PACKAGES: readonly Column<ImagePackageJson>[] = [
  { header: texts.columns.package, cell: ({ name }) => <PackageLink name={name} /> },
  { header: columns.version, cell: ({ version }) => version },
  { header: columns.ecosystem, cell: ({ ecosystem }) => ecosystem },
];

const CHANGES: readonly Column<PackageChangeJson>[] = [
  {
    header: texts.columns.package,
    cell: ({ name, current }) => (
      <Described text={current?.replace(/@[^@]*$/s, "")}>
        <PackageLink name={name} />
      </Described>
    ),
  },
  { header: words.previous, cell: ({ previous }) => versionOf(previous) },
  { header: words.current, cell: ({ current }) => versionOf(current) },
];

function Changes({ difference }: { readonly difference: ImageDifferenceJson }) {
  const purl = (one: ImagePackageJson) => one.purl ?? "";
  const { addedFindings, removedFindings, addedPackages, removedPackages } = difference;
  return (
    <>
      <Part
        title={words.findingsAdded}
        rows={addedFindings}
        columns={FINDINGS}
        keyOf={findingKey}
      />
      <Part
        title={words.findingsRemoved}
        rows={removedFindings}
        columns={FINDINGS}
        keyOf={findingKey}
      />
      <Part
        title={words.packagesChanged}
        rows={difference.changedPackages}
        columns={CHANGES}
        keyOf={({ previous, current }) => `${previous} ${current}`}
      />
      <Part title={words.packagesAdded} rows={addedPackages} columns={PACKAGES} keyOf={purl} />
      <Part title={words.packagesRemoved} rows={removedPackages} columns={PACKAGES} keyOf={purl} />
    </>
  );
}

function Part<Row>({
  title,
  rows = [],
  columns: shown,
  keyOf,
}: {
  readonly title: string;
  readonly rows: readonly Row[] | undefined;
  readonly columns: readonly Column<Row>[];
  readonly keyOf: (row: Row) => string;
}) {
  if (rows.length === 0) return null;
  return (
    <section aria-label={title}>
      <h2>
        {title} ({rows.length.toLocaleString("en")})
      </h2>
      <div className="table-frame">
        <PlainTable label={title} rows={rows} columns={shown} keyOf={keyOf} />
      </div>
    </section>
  );
}
