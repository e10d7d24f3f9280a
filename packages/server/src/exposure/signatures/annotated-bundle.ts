import { object, parseJson, text } from "../../registry/lenient-json.ts";
import { pemBlocks } from "../../registry/signatures/public-key.ts";

/** A Sigstore bundle before 0.3: it needs a signed promise of the log, and may have a chain of certificates. */
const MEDIA_TYPE = "application/vnd.dev.sigstore.bundle+json;version=0.1";

/** The bundle, as JSON, that annotations of cosign stand for; undefined without a certificate. */
export function bundleOfAnnotations(
  annotations: Readonly<Record<string, string>>,
  content: object,
): object | undefined {
  const json = (name: string) => object(parseJson(Buffer.from(annotations[name] ?? "null")));
  const pem = annotations["dev.sigstore.cosign/certificate"];
  if (pem === undefined) return undefined;
  const certificates = (pemBlocks(pem, "CERTIFICATE") ?? []).map((der) => ({
    rawBytes: der.toString("base64"),
  }));
  const { SignedRFC3161Timestamp: timestamp } = json("dev.sigstore.cosign/rfc3161timestamp");
  return {
    mediaType: MEDIA_TYPE,
    verificationMaterial: {
      x509CertificateChain: { certificates },
      tlogEntries: entriesOf(json("dev.sigstore.cosign/bundle")),
      timestampVerificationData: {
        rfc3161Timestamps: timestamp === undefined ? [] : [{ signedTimestamp: text(timestamp) }],
      },
    },
    ...content,
  };
}

/** The entry of a transparency log, with the promise that it is in the log. */
function entriesOf({ SignedEntryTimestamp, Payload }: Readonly<Record<string, unknown>>): object[] {
  if (Payload === undefined) return [];
  const { body, integratedTime, logIndex, logID } = object(Payload);
  const { kind, apiVersion } = object(parseJson(Buffer.from(text(body), "base64")));
  return [
    {
      logIndex: String(logIndex),
      logId: { keyId: Buffer.from(text(logID), "hex").toString("base64") },
      kindVersion: { kind: text(kind), version: text(apiVersion) },
      integratedTime: String(integratedTime),
      inclusionPromise: { signedEntryTimestamp: text(SignedEntryTimestamp) },
      canonicalizedBody: text(body),
    },
  ];
}
