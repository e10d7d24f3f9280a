import { AdvisoryEvent_FalsePositiveDetermination_Type as FalsePositive } from "@wharf/contract/messages";
import type { Component } from "./cyclonedx-components.ts";
import type { DocumentNode } from "./document-node.ts";
import { ALL_VERSIONS, atVersion, type Statement } from "./vex.ts";

/** Whether a reason has a type of its own, or only words. */
interface Reason {
  readonly because: FalsePositive;
  readonly words?: string;
}

const WORDS = (words: string): Reason => ({ because: FalsePositive.UNSPECIFIED, words });
const MITIGATED: Reason = { because: FalsePositive.INLINE_MITIGATIONS_EXIST };

const JUSTIFICATIONS: ReadonlyMap<string, Reason> = new Map<string, Reason>([
  ["code_not_present", { because: FalsePositive.VULNERABLE_CODE_NOT_INCLUDED_IN_PACKAGE }],
  ["code_not_reachable", { because: FalsePositive.VULNERABLE_CODE_NOT_IN_EXECUTION_PATH }],
  ["requires_configuration", WORDS("Exploitable only with another configuration.")],
  ["requires_dependency", WORDS("Exploitable only with a dependency that is not present.")],
  ["requires_environment", WORDS("Exploitable only in another environment.")],
  ["protected_by_compiler", MITIGATED],
  ["protected_at_runtime", MITIGATED],
  ["protected_by_mitigating_control", MITIGATED],
  ["protected_at_perimeter", WORDS("Protected at the perimeter.")],
]);

/** An assessment and the versions that it is about. */
type Scoped = Pick<Statement, "assessment" | "scope">;

type Read = (node: DocumentNode, component: Component, affects: DocumentNode) => Scoped[];

/** The assessments by the state of an analysis. */
export const STATES: ReadonlyMap<string, Read> = new Map<string, Read>([
  ["resolved", (...of) => resolved(...of, false)],
  ["resolved_with_pedigree", (...of) => resolved(...of, true)],
  ["exploitable", exploitable],
  [
    "in_triage",
    (node, { scope }) => [
      { assessment: { status: "under_investigation", note: noteOf(node) }, scope },
    ],
  ],
  [
    "false_positive",
    (node, component, affects) =>
      notAffected(node, component, affects, {
        because: FalsePositive.COMPONENT_VULNERABILITY_MISMATCH,
      }),
  ],
  [
    "not_affected",
    (node, component, affects) => {
      const justification = node.field("justification");
      const reason = justification.isPresent ? justification.oneOf(JUSTIFICATIONS) : undefined;
      if (!justification.isPresent && noteOf(node) === "") {
        node.addProblem("is not_affected without a justification or a detail");
      }
      return notAffected(node, component, affects, reason ?? WORDS(""));
    },
  ],
]);

/** A version or range that is listed with the affected component. */
interface Listed {
  readonly version: string;
  readonly range: string;
  readonly isUnaffected: boolean;
}

function listedIn(affects: DocumentNode): Listed[] {
  return affects
    .field("versions")
    .items("products")
    .filter((node) => node.requireObject())
    .map((node) => ({
      version: node.field("version").optionalString(),
      range: node.field("range").optionalString(),
      isUnaffected: node.field("status").optionalString() === "unaffected",
    }));
}

/** Listed versions that are not affected have the fix; without a list, the version of the component has it. */
function resolved(
  node: DocumentNode,
  component: Component,
  affects: DocumentNode,
  isPatched: boolean,
): Scoped[] {
  const note = noteOf(node);
  const listed = listedIn(affects);
  const fixed = listed.filter(({ isUnaffected }) => isUnaffected).map(({ version }) => version);
  const { scope } = component;
  const assessment = (version: string) => ({ status: "fixed", version, isPatched, note }) as const;
  const isVersioned = listed.length === 0 ? component.version !== "" : fixed.length > 0;
  // No version of the product has the fix.
  if (!isVersioned) return [{ assessment: assessment(""), scope: ALL_VERSIONS }];
  if (listed.length === 0) return [{ assessment: assessment(component.version), scope }];
  return fixed.map((one) => ({ assessment: assessment(one), scope: atVersion(scope, one) }));
}

/** Versions that are listed have their own status, so that it is the artifact that is affected. */
function exploitable(node: DocumentNode, component: Component, affects: DocumentNode): Scoped[] {
  const responses = new Set(node.field("response").uniqueStrings("aliases"));
  const hasRemedy = ["update", "rollback", "workaround_available"].some((one) =>
    responses.has(one),
  );
  const isUnplanned = responses.has("will_not_fix") || responses.has("can_not_fix");
  const plan = isUnplanned && !hasRemedy ? "none" : "fix";
  const scope = listedIn(affects).length === 0 ? component.scope : atVersion(component.scope, "");
  return [{ assessment: { status: "affected", plan, note: noteOf(node) }, scope }];
}

function notAffected(
  node: DocumentNode,
  component: Component,
  affects: DocumentNode,
  { because, words = "" }: Reason,
): Scoped[] {
  const note = [words, noteOf(node)].filter(Boolean).join(" ");
  const assessment = { status: "not_affected", because, note } as const;
  const listed = listedIn(affects);
  if (listed.length === 0) return [{ assessment, scope: component.scope }];
  return listed.map(({ version, range }) => {
    const scope =
      version === "" ? { ...component.scope, range } : atVersion(component.scope, version);
    return { assessment, scope };
  });
}

function noteOf(node: DocumentNode): string {
  return node.field("detail").optionalText();
}
