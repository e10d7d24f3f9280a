import { advisoryTexts, feedTexts } from "../../texts/advisories.ts";
import { Code } from "../../ui/code.tsx";
import { PlainTable } from "../../ui/growing-table.tsx";
import type { Column } from "../../ui/table.tsx";

type Feed = (typeof feedTexts.feeds)[number];

/** The URLs under which scanners find the approved advisories of a group. */
export function Feeds({ group }: { readonly group: string }) {
  const base = `${window.location.origin}/feeds/${group}`;
  const columns: readonly Column<Feed>[] = [
    { header: feedTexts.format, cell: ([format]) => format },
    { header: feedTexts.use, cell: ([, , use]) => use, isExtra: true },
    { header: feedTexts.url, cell: ([, path]) => <Code text={`${base}/${path}`} /> },
  ];
  return (
    <>
      <p className="lead">{feedTexts.lead}</p>
      <div className="table-frame">
        <PlainTable
          label={advisoryTexts.tabs.feeds}
          rows={feedTexts.feeds}
          columns={columns}
          keyOf={([format]) => format}
        />
      </div>
      <section aria-labelledby="with-token">
        <h2 id="with-token">{feedTexts.token}</h2>
        <Code
          text={`curl -fsS -H "Authorization: Bearer $(wharf auth token)" ${base}/osv/all.json`}
        />
        <Code
          text={`wharf auth pull-token create scanner --parent ${group} --role advisories.viewer`}
        />
      </section>
    </>
  );
}
