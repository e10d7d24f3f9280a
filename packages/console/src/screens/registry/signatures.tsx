import type { ImageSignatureJson } from "@wharf/contract/messages";
import { api, useRead } from "../../api/client.ts";
import { texts } from "../../texts/common.ts";
import { signatureTexts } from "../../texts/registry.ts";
import { Digest } from "../../ui/digest.tsx";
import { Failed, Loading } from "../../ui/feedback.tsx";
import { PlainTable } from "../../ui/growing-table.tsx";
import type { Column } from "../../ui/table.tsx";
import { Age } from "../../ui/time.tsx";

/** The signatures of an image: who has signed it, and whether that is verified. */
export function Signatures({ repo, digest }: { readonly repo: string; readonly digest: string }) {
  const { data, error } = useRead(api.signatures.listImage, { repoUid: repo, digest });
  return (
    <section aria-labelledby="signatures">
      <h2 id="signatures">{signatureTexts.title}</h2>
      {error !== null && <Failed error={error} />}
      {error === null && data === undefined && <Loading />}
      {data?.pending && <p className="soft">{signatureTexts.pending}</p>}
      {data !== undefined && <SignatureTable repo={repo} signatures={data.signatures ?? []} />}
    </section>
  );
}

function SignatureTable({
  repo,
  signatures,
}: {
  readonly repo: string;
  readonly signatures: readonly ImageSignatureJson[];
}) {
  if (signatures.length === 0) return <p className="soft">{signatureTexts.none}</p>;
  const columns: readonly Column<ImageSignatureJson>[] = [
    { header: texts.columns.state, cell: (signature) => <State signature={signature} /> },
    { header: signatureTexts.signer, cell: (signature) => <Signer signature={signature} /> },
    {
      header: texts.columns.type,
      cell: ({ form = "SIGNATURE_FORM_UNSPECIFIED", predicateType }) =>
        predicateType ? <code>{predicateType}</code> : signatureTexts.forms[form],
    },
    {
      header: signatureTexts.signed,
      cell: ({ signTime }) => signTime !== undefined && <Age time={signTime} />,
    },
    {
      header: texts.columns.digest,
      cell: ({ manifestDigest = "", documentDigest = "" }) =>
        manifestDigest ? (
          <Digest digest={manifestDigest} repo={repo} />
        ) : (
          <Digest digest={documentDigest} />
        ),
    },
  ];
  return (
    <div className="table-frame">
      <PlainTable
        label={signatureTexts.title}
        rows={signatures.map((one, position) => ({ ...one, position }))}
        columns={columns}
        keyOf={(one) => String((one as { position?: number }).position)}
      />
    </div>
  );
}

function State({
  signature: { verified, description },
}: {
  readonly signature: ImageSignatureJson;
}) {
  if (verified) return <span className="badge good">{signatureTexts.verified}</span>;
  return (
    <>
      <span className="badge bad">{signatureTexts.unverified}</span>{" "}
      <span className="soft">{description}</span>
    </>
  );
}

/** The key or the identity; of a signature that is not verified, only the claim of its certificate. */
function Signer({
  signature: { verified, keyName, subject, issuer },
}: {
  readonly signature: ImageSignatureJson;
}) {
  if (!verified && subject) return signatureTexts.claimed(subject);
  return (
    <>
      {keyName}
      {subject && <p className="soft">{[subject, issuer].filter(Boolean).join(", ")}</p>}
    </>
  );
}
