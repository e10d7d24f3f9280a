import type { ManifestDescriptorJson } from "@wharf/contract/messages";
import type { ReactNode } from "react";
import { api, useRead } from "../../api/client.ts";
import { texts } from "../../texts/common.ts";
import { imageTexts } from "../../texts/registry.ts";
import { bytesText } from "../../ui/bytes.ts";
import { Digest } from "../../ui/digest.tsx";
import { Facts } from "../../ui/facts.tsx";
import { Failed, Loading } from "../../ui/feedback.tsx";
import { PlainTable } from "../../ui/growing-table.tsx";
import type { Column } from "../../ui/table.tsx";
import { Size } from "./tag-list.tsx";

/** The images of an index. */
export function Platforms({
  repo,
  manifests,
}: {
  readonly repo: string;
  readonly manifests: readonly ManifestDescriptorJson[];
}) {
  const columns: readonly Column<ManifestDescriptorJson>[] = [
    { header: texts.columns.platform, cell: platformOf },
    {
      header: texts.columns.digest,
      cell: ({ digest = "" }) => <Digest digest={digest} repo={repo} />,
    },
    {
      header: texts.columns.size,
      cell: ({ digest = "" }) => <Size repo={repo} digest={digest} />,
    },
    { header: texts.columns.mediaType, cell: ({ mediaType }) => mediaType, isExtra: true },
  ];
  return (
    <section aria-labelledby="platforms">
      <h2 id="platforms">{imageTexts.platformsOf}</h2>
      <div className="table-frame">
        <PlainTable
          label={imageTexts.platformsOf}
          rows={manifests}
          columns={columns}
          keyOf={(one) => `${one.digest} ${platformOf(one)}`}
        />
      </div>
    </section>
  );
}

/** Builders list attestations among the images, for an unknown platform. */
function platformOf({ os = "", architecture = "", variant = "" }: ManifestDescriptorJson): string {
  if (os === "unknown" || architecture === "unknown") return imageTexts.attestation;
  return [os, architecture, variant].filter(Boolean).join("/");
}

interface Layer extends ManifestDescriptorJson {
  readonly number: number;
}

const LAYER_COLUMNS: readonly Column<Layer>[] = [
  { header: "#", cell: ({ number }) => number },
  { header: texts.columns.digest, cell: ({ digest = "" }) => <Digest digest={digest} /> },
  { header: texts.columns.size, cell: ({ size }) => bytesText(Number(size ?? 0)) },
  { header: texts.columns.mediaType, cell: ({ mediaType }) => mediaType, isExtra: true },
];

export function Layers({ layers }: { readonly layers: readonly ManifestDescriptorJson[] }) {
  const size = layers.reduce((sum, layer) => sum + Number(layer.size ?? 0), 0);
  return (
    <section aria-labelledby="layers">
      <h2 id="layers">{imageTexts.layers}</h2>
      <p className="soft">{imageTexts.layersText(layers.length, bytesText(size))}</p>
      <div className="table-frame">
        <PlainTable
          label={imageTexts.layers}
          rows={layers.map((layer, at) => ({ ...layer, number: at + 1 }))}
          columns={LAYER_COLUMNS}
          keyOf={({ number }) => String(number)}
        />
      </div>
    </section>
  );
}

/** The run configuration of an image. */
export function Config({ repo, digest }: { readonly repo: string; readonly digest: string }) {
  const { data, error } = useRead(api.images.getConfig, { repoUid: repo, digest });
  const names = imageTexts.configFacts;
  return (
    <section aria-labelledby="config">
      <h2 id="config">{imageTexts.config}</h2>
      {error !== null && <Failed error={error} />}
      {error === null && data === undefined && <Loading />}
      {data !== undefined && (
        <>
          <Facts
            facts={{
              [names.user]: data.user && <code>{data.user}</code>,
              [names.workingDir]: data.workingDir && <code>{data.workingDir}</code>,
              [names.entrypoint]: command(data.entrypoint),
              [names.cmd]: command(data.cmd),
              [names.exposedPorts]: data.exposedPorts?.join(", "),
              [names.volumes]: data.volumes?.join(", "),
              [names.stopSignal]: data.stopSignal,
              [texts.columns.platform]: data.architecture,
              [names.env]: lines(data.env),
            }}
          />
          {Object.keys(data.labels ?? {}).length > 0 && (
            <details>
              <summary>{names.labels}</summary>
              <Texts texts={data.labels ?? {}} />
            </details>
          )}
        </>
      )}
    </section>
  );
}

/** A command as a shell takes it. */
function command(words: readonly string[] = []): ReactNode {
  if (words.length === 0) return undefined;
  const quoted = words.map((word) => (/^[\w./:=@%+,-]+$/.test(word) ? word : JSON.stringify(word)));
  return <code>{quoted.join(" ")}</code>;
}

function lines(texts: readonly string[] = []): ReactNode {
  if (texts.length === 0) return undefined;
  return (
    <ul>
      {texts.map((text) => (
        <li key={text}>
          <code>{text}</code>
        </li>
      ))}
    </ul>
  );
}

/** Labels or annotations, which anybody may have written. */
export function Texts({ texts }: { readonly texts: Readonly<Record<string, string>> }) {
  const facts = Object.entries(texts).map(([name, value]) => [
    name,
    <code key={name}>{value}</code>,
  ]);
  return <Facts facts={Object.fromEntries(facts)} />;
}
