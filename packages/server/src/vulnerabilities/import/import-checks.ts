import {
  type Advisory,
  type AdvisoryDocument,
  AdvisoryDocumentSchema,
  Severity_Type,
  type Vulnerability,
} from "@wharf/contract";
import type { FieldViolation } from "../../lib/errors.ts";
import { beyondLimits } from "../../rpc/validate.ts";
import { type EventNames, eventProblems, timeProblem } from "../event-checks.ts";

/** Whoever sends a document with more mistakes than this has made one many times. */
const NAMED_AT_MOST = 100;

const NAMES: EventNames = { time: "createTime", state: "reviewState" };

/** Finds what is wrong; `at` leads to what is looked at. */
type Complain = (at: string, name: string, rest: string) => void;

/** Everything for which a document cannot be taken, by field. */
export function documentProblems(document: AdvisoryDocument, now: number): FieldViolation[] {
  const found = beyondLimits(AdvisoryDocumentSchema, document);
  const complain: Complain = (at, name, rest) => {
    found.push({ field: at + name, description: `${name} ${rest}` });
  };
  const ids = new Map<string, string>();
  for (const [number, advisory] of document.advisories.entries()) {
    const at = `advisories[${number}].`;
    checkAdvisory(advisory, at, now, complain);
    checkEvents(advisory, at, now, found, complain);
    checkAlone(ids, advisory.advisoryId, at, "advisoryId", complain);
  }
  const vulnerabilities = new Map<string, string>();
  for (const [number, vulnerability] of document.vulnerabilities.entries()) {
    const at = `vulnerabilities[${number}].`;
    checkVulnerability(vulnerability, at, complain);
    checkAlone(vulnerabilities, vulnerability.id, at, "id", complain);
  }
  return found.slice(0, NAMED_AT_MOST);
}

function checkAdvisory(advisory: Advisory, at: string, now: number, complain: Complain): void {
  const { advisoryId, artifactName, artifactType, createTime } = advisory;
  for (const [name, value] of Object.entries({ advisoryId, artifactName, artifactType })) {
    if (value === "") complain(at, name, "is required");
  }
  const problem = createTime && timeProblem(createTime, now);
  if (problem !== undefined) complain(at, "createTime", problem);
}

function checkEvents(
  { events }: Advisory,
  above: string,
  now: number,
  found: FieldViolation[],
  complain: Complain,
): void {
  for (const [number, event] of events.entries()) {
    const at = `${above}events[${number}].`;
    // It is what the event is found again by.
    if (event.createTime === undefined) complain(at, "createTime", "is required");
    found.push(...eventProblems(event, at, NAMES, now));
  }
}

function checkVulnerability(vulnerability: Vulnerability, at: string, complain: Complain): void {
  const { id, publishTime, updateTime, severities } = vulnerability;
  if (id === "") complain(at, "id", "is required");
  for (const [name, time] of Object.entries({ publishTime, updateTime })) {
    const problem = time && timeProblem(time, Number.POSITIVE_INFINITY);
    if (problem !== undefined) complain(at, name, problem);
  }
  for (const [number, { type }] of severities.entries()) {
    if (Severity_Type[type] === undefined) {
      complain(`${at}severities[${number}].`, "type", "is not known");
    }
  }
}

function checkAlone(
  known: Map<string, string>,
  id: string,
  at: string,
  name: string,
  complain: Complain,
): void {
  const first = known.get(id);
  if (first === undefined) known.set(id, at + name);
  else if (id !== "") complain(at, name, `must differ from ${first}`);
}
