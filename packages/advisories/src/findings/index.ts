import type { FindingJson } from "@wharf/contract/messages";
import { cyclonedxOf } from "./cyclonedx.ts";
import type { DocumentOrigin } from "./document.ts";
import { openvexOf } from "./openvex.ts";
import { sarifOf } from "./sarif.ts";

export { type DocumentOrigin, NoFindingsError } from "./document.ts";

export type FindingsFormat = "sarif" | "cyclonedx" | "openvex";

type Writer = (findings: readonly FindingJson[], origin: DocumentOrigin) => object;

const WRITERS: Readonly<Record<FindingsFormat, Writer>> = {
  sarif: sarifOf,
  cyclonedx: cyclonedxOf,
  openvex: openvexOf,
};

/**
 * Findings as a document for other programs, such as an OpenVEX document of their statuses. Throws a NoFindingsError
 * where the format has no document without findings.
 *
 * @example findingsDocument("openvex", findings, { time: new Date(), registry: "registry.example.com", version: "1.0.0" })
 */
export function findingsDocument(
  format: FindingsFormat,
  findings: readonly FindingJson[],
  origin: DocumentOrigin,
): object {
  return WRITERS[format](findings, origin);
}
