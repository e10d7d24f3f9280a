import type { DescField, DescMessage, DescMethod, DescService } from "@bufbuild/protobuf";
import { advisoriesV1, httpRulesOf, SERVICES } from "../../packages/contract/src/index.ts";
import { SERVICES_V1 } from "../../packages/contract/src/v1.ts";
import { StepError } from "../step.ts";
import { EVERYWHERE, FIELDS, METHODS, type Successor } from "./mapping.ts";

/** A v1 message and its v2 counterpart. */
type Pair = readonly [one: DescMessage, two: DescMessage];

/** The tables of the guide: for every v1 service, its methods and fields with their successors. Throws if one has none. */
export function tables(): string {
  const problems: string[] = [];
  const text = [...SERVICES_V1, advisoriesV1.Advisories]
    .map((service) => section(service, problems))
    .join("\n")
    .trimEnd();
  if (problems.length > 0) throw new StepError(`${problems.join("\n")}\nadd it to mapping.ts`);
  return text;
}

/** For methods without a successor, which are not deprecated. */
const STAYS = "none: not deprecated";

function section(service: DescService, problems: string[]): string {
  const pairs = new Map<DescMessage, DescMessage>();
  const rows = service.methods.map((method) => {
    const successors = successorsOf(method, problems);
    for (const pair of pairsOf(method, successors[0])) walk(pair, service, pairs);
    const calls = successors.length > 0 ? successors.map(callOf).join("<br>") : STAYS;
    return `| ${callOf(method)} | ${calls} |`;
  });
  const fields = [...pairs].map((pair) => fieldRow(service, pair, problems));
  const methods = ["| version 1 | version 2 |", "|---|---|", ...rows];
  const head = ["| message | the same in version 2 | another name, or none |", "|---|---|---|"];
  return [`### ${service.name}`, "", ...methods, "", ...head, ...fields, ""].join("\n");
}

function successorsOf(method: DescMethod, problems: string[]): DescMethod[] {
  const name = `${method.parent.name}/${method.name}`;
  const successors = (METHODS[name] ?? []).map((path) => {
    const [service, local] = path.split("/");
    const found = SERVICES.find(
      (one) => one.name === service && one.typeName.includes(".v2beta1."),
    );
    const two = found?.methods.find((one) => one.name === local);
    if (two === undefined) problems.push(`${name}: there is no ${path} in version 2`);
    return two;
  });
  if (METHODS[name] === undefined) problems.push(`${name} has no successor`);
  return successors.filter((one) => one !== undefined);
}

/** `POST /iam/v1/groups/{parent}`, and the method over gRPC. */
function callOf(method: DescMethod): string {
  const [rule] = httpRulesOf(method);
  const path = rule?.path.replaceAll(/\{([^}=]+)[^}]*\}/g, "{$1}");
  return `\`${rule?.verb} ${path}\` (\`${method.parent.name}/${method.name}\`)`;
}

function pairsOf(one: DescMethod, two: DescMethod | undefined): Pair[] {
  if (two === undefined) return [];
  // An update takes the resource, and returns it.
  const inputs: Pair[] = one.input === one.output ? [] : [[one.input, two.input]];
  return [...inputs, [one.output, two.output]];
}

/** Collects the nested messages of a pair, except those of other services. */
function walk([one, two]: Pair, service: DescService, pairs: Map<DescMessage, DescMessage>): void {
  const isOthers = one.file !== service.file && one.file.services.length > 0;
  if (one === two || pairs.has(one) || isOthers || !one.typeName.startsWith("wharf.")) return;
  pairs.set(one, two);
  for (const field of one.fields) {
    const path = successorOf(service, one, two, field);
    const other = typeof path === "string" ? resolve(two, path.replace("!", "")) : undefined;
    if (field.message && other?.message) walk([field.message, other.message], service, pairs);
  }
}

function fieldRow(
  service: DescService,
  [one, two]: readonly [DescMessage, DescMessage],
  problems: string[],
): string {
  const same: string[] = [];
  const other: string[] = [];
  for (const field of one.fields) {
    const successor = successorOf(service, one, two, field);
    if (successor === undefined) problems.push(`${one.typeName}.${field.name} has no successor`);
    const name = `\`${field.jsonName}\``;
    if (successor === field.name) same.push(name);
    else other.push(`${name} → ${shown(two, successor)}`);
  }
  return `| \`${one.name}\` | ${same.join(", ")} | ${other.join("<br>")} |`;
}

/** The successor by the mapping, or by name. Undefined if there is none. */
function successorOf(
  service: DescService,
  one: DescMessage,
  two: DescMessage,
  field: DescField,
): Successor | undefined {
  const mapped = (FIELDS[`${service.name}:${one.name}`] ?? FIELDS[one.name])?.[field.name];
  if (mapped !== undefined) return isKnown(two, mapped) ? mapped : undefined;
  const rows = two.fields.find((other) => other.fieldKind === "list" && other.message)?.name;
  const renamed = field.name === "items" ? rows : EVERYWHERE[field.name];
  return [field.name, renamed].find((path) => path !== undefined && isKnown(two, path));
}

function isKnown(two: DescMessage, successor: Successor): boolean {
  return typeof successor === "object" || resolve(two, successor.replace("!", "")) !== undefined;
}

function resolve(message: DescMessage, path: string): DescField | undefined {
  const [name, ...rest] = path.split(".");
  const field = message.fields.find((one) => one.name === name);
  if (rest.length === 0 || field?.message === undefined)
    return rest.length === 0 ? field : undefined;
  return resolve(field.message, rest.join("."));
}

function shown(two: DescMessage, successor: Successor | undefined): string {
  if (typeof successor !== "string") return successor?.none ?? "";
  const isOpposite = successor.startsWith("!");
  const names = successor.replace("!", "").split(".");
  const path = names.map((_, at) => resolve(two, names.slice(0, at + 1).join("."))?.jsonName);
  return isOpposite ? `the opposite of \`${path.join(".")}\`` : `\`${path.join(".")}\``;
}
