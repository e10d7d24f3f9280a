import {
  type Advisory,
  type AdvisoryDocument,
  AdvisoryDocumentSchema,
  Severity_Type,
  type Vulnerability,
} from "@wharf/contract";
import type { FieldViolation } from "../../lib/errors.ts";
import { violationsOfImported } from "../../rpc/validate.ts";
import { type EventFieldNames, eventProblems, timeProblem } from "../event-checks.ts";
import { blankAliases } from "../subject-checks.ts";
import { sourceProblems } from "./source-checks.ts";

/** A document with more violations repeats the same mistake. */
const MAX_VIOLATIONS = 100;

const NAMES: EventFieldNames = { time: "createTime", state: "reviewState" };

/** Adds a violation; `at` is the path of the parent. */
type AddViolation = (at: string, name: string, rest: string) => void;

/** All reasons to reject a document, by field. */
export function documentProblems(document: AdvisoryDocument, now: number): FieldViolation[] {
  const found = violationsOfImported(AdvisoryDocumentSchema, document);
  const addViolation: AddViolation = (at, name, rest) => {
    found.push({ field: at + name, description: `${name} ${rest}` });
  };
  const ids = new Map<string, string>();
  for (const [number, advisory] of document.advisories.entries()) {
    const at = `advisories[${number}].`;
    checkAdvisory(advisory, at, now, addViolation);
    found.push(...blankAliases(advisory.aliases, at));
    checkEvents(advisory, at, now, found);
    checkUnique(ids, advisory.advisoryId, at, "advisoryId", addViolation);
  }
  const vulnerabilities = new Map<string, string>();
  for (const [number, vulnerability] of document.vulnerabilities.entries()) {
    const at = `vulnerabilities[${number}].`;
    checkVulnerability(vulnerability, at, addViolation);
    checkUnique(vulnerabilities, vulnerability.id, at, "id", addViolation);
  }
  found.push(...sourceProblems(document));
  return found.slice(0, MAX_VIOLATIONS);
}

function checkAdvisory(
  advisory: Advisory,
  at: string,
  now: number,
  addViolation: AddViolation,
): void {
  const { advisoryId, artifactName, artifactType, createTime } = advisory;
  for (const [name, value] of Object.entries({ advisoryId, artifactName, artifactType })) {
    if (value.trim() === "") addViolation(at, name, "is required");
  }
  const problem = createTime && timeProblem(createTime, now);
  if (problem !== undefined) addViolation(at, "createTime", problem);
}

function checkEvents(
  { events }: Advisory,
  above: string,
  now: number,
  found: FieldViolation[],
): void {
  for (const [number, event] of events.entries()) {
    const at = `${above}events[${number}].`;
    found.push(...eventProblems(event, at, NAMES, now));
  }
}

function checkVulnerability(
  vulnerability: Vulnerability,
  at: string,
  addViolation: AddViolation,
): void {
  const { id, publishTime, updateTime, severities } = vulnerability;
  if (id === "") addViolation(at, "id", "is required");
  for (const [name, time] of Object.entries({ publishTime, updateTime })) {
    const problem = time && timeProblem(time, Number.POSITIVE_INFINITY);
    if (problem !== undefined) addViolation(at, name, problem);
  }
  for (const [number, { type }] of severities.entries()) {
    if (Severity_Type[type] === undefined) {
      addViolation(`${at}severities[${number}].`, "type", "is not known");
    }
  }
}

function checkUnique(
  known: Map<string, string>,
  id: string,
  at: string,
  name: string,
  addViolation: AddViolation,
): void {
  const first = known.get(id);
  if (first === undefined) known.set(id, at + name);
  else if (id !== "") addViolation(at, name, `must differ from ${first}`);
}
