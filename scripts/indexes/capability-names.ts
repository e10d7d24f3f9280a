import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { ROOT } from "../step.ts";
import { HEADER } from "./header.ts";

/** The part of the contract that is read here; loaded when it is generated. */
interface Capabilities {
  readonly ALL_CAPABILITIES: readonly number[];
  readonly Capability: Readonly<Record<number, string>>;
  capabilityName(capability: number): string;
  isInternalOnly(capability: number): boolean;
}

/** The names of capabilities for browsers, which have no descriptors: as JSON spells them, and dotted. */
export async function capabilityNames(): Promise<Map<string, string>> {
  const url = pathToFileURL(join(ROOT, "packages/contract/src/capabilities.ts")).href;
  const contract = (await import(url)) as Capabilities;
  const { ALL_CAPABILITIES, Capability, capabilityName, isInternalOnly } = contract;
  const lines = ALL_CAPABILITIES.filter((one) => !isInternalOnly(one)).map(
    (one) => `  ${Capability[one]}: "${capabilityName(one)}",`,
  );
  const text = [
    `${HEADER}`,
    "/** The dotted names of capabilities that roles can contain, by their names in JSON. */",
    "export const CAPABILITY_NAMES = {",
    ...lines,
    "} as const;\n",
  ].join("\n");
  return new Map([["packages/contract/gen/capability-names.ts", text]]);
}
