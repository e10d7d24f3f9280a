import type { AdvisoryEventJson, advisoriesV1 } from "@wharf/contract/messages";
import type { ReactNode } from "react";
import { advisoryTexts, eventTexts, FALSE_POSITIVES } from "../../texts/advisories.ts";
import { Facts } from "../../ui/facts.tsx";

/** An event as either version of the API has it. */
export type AnyEvent = AdvisoryEventJson | advisoriesV1.AdvisoryEventJson;

/** Fields that some type of event has. */
export interface Content {
  readonly note?: string;
  readonly fixedVersion?: string;
  readonly patchedVersions?: readonly string[];
  readonly type?: string;
  readonly previousLocation?: string;
  readonly newLocation?: string;
  readonly nvdapi?: Readonly<Record<string, string>>;
  readonly manual?: object;
  readonly scanv1?: Readonly<Record<string, string>>;
}

/** The content of an event. */
export function EventContent({ event }: { readonly event: AnyEvent }) {
  const { note, ...content } = contentOf(event);
  const products = "products" in event ? (event.products ?? []) : [];
  const components = "subcomponents" in event ? (event.subcomponents ?? []) : [];
  const facts = factsOf(content);
  return (
    <>
      {Object.values(facts).some(Boolean) && <Facts facts={facts} />}
      {note && <p className="note-text">{note}</p>}
      {event.issue && (
        <p className="soft">
          {advisoryTexts.issue}: {event.issue}
        </p>
      )}
      {products.length > 0 && (
        <p className="soft">
          {advisoryTexts.products} <code>{products.join(", ")}</code>
        </p>
      )}
      {components.length > 0 && (
        <p className="soft">
          {advisoryTexts.subcomponents} <code>{components.join(", ")}</code>
        </p>
      )}
      {event.findings && (
        <details>
          <summary>{advisoryTexts.findings}</summary>
          <pre className="source">{findingsText(event.findings)}</pre>
        </details>
      )}
    </>
  );
}

export function contentOf(event: AnyEvent): Content {
  return (
    event.detection ??
    event.fixed ??
    event.falsePositiveDetermination ??
    event.analysisNotPlanned ??
    event.fixNotPlanned ??
    event.pendingUpstreamFix ??
    event.truePositiveDetermination ??
    event.patched ??
    event.componentLocationChanged ??
    {}
  );
}

function factsOf(content: Content): Record<string, ReactNode> {
  const { scanv1, nvdapi, manual, previousLocation, newLocation } = content;
  const reasons: Readonly<Record<string, string>> = FALSE_POSITIVES;
  const reason = content.type?.replace(/^TYPE_/, "") ?? "";
  return {
    [eventTexts.fixedVersion]: content.fixedVersion,
    [eventTexts.patchedVersions]: content.patchedVersions?.join(", "),
    [eventTexts.reason]: reasons[reason],
    [eventTexts.previousLocation]: previousLocation && <code>{previousLocation}</code>,
    [eventTexts.newLocation]: newLocation && <code>{newLocation}</code>,
    [eventTexts.foundBy]: manual && eventTexts.founds.manual,
    ...named(nvdapi),
    ...named(scanv1),
  };
}

/** The fields of a detection, under their names. */
function named(fields: Readonly<Record<string, string>> = {}): Record<string, ReactNode> {
  const labels: Readonly<Record<string, string>> = {
    ...eventTexts.detection,
    // Version 2 calls these differently.
    subpackage: eventTexts.detection.subpackageName,
    component: eventTexts.detection.componentName,
  };
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) => {
      const label = labels[name];
      return label === undefined ? [] : [[label, value]];
    }),
  );
}

/** Findings are JSON, by the tool that found them. */
function findingsText(base64: string): string {
  try {
    const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
    const text = new TextDecoder().decode(bytes);
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return base64;
  }
}
