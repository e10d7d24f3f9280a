import { CycloneDxCollector } from "./cyclonedx.ts";
import type { Shape } from "./json/shape.ts";
import type { SbomLimits } from "./limits.ts";
import { OpenVexCollector } from "./openvex.ts";
import { SbomRefused } from "./refusal.ts";
import type { Sbom } from "./sbom.ts";
import { SpdxCollector } from "./spdx.ts";
import type { Vex } from "./vex-statement.ts";

/** The contents of a document: packages, statements about vulnerabilities, or both. */
export interface Contents {
  readonly format: "spdx" | "cyclonedx" | "openvex";
  readonly sbom?: Sbom | undefined;
  readonly vex?: Vex | undefined;
}

const SPDX3 = /^https?:\/\/spdx\.org\/rdf\/3\./;

/** Members of in-toto statements, their envelopes and bundles, which are read elsewhere. */
const WRAPPERS = ["predicateType", "payloadType", "dsseEnvelope"] as const;

const NO_KEYS: ReadonlySet<string> = new Set();

/** Reads a document, whose format its members tell in any order. */
export class DocumentCollector {
  readonly shape: Shape;
  readonly #limits: SbomLimits;
  #formats: Formats;
  #members: ReadonlyMap<string, Shape>;
  #context: unknown;
  #isWrapper = false;

  constructor(limits: SbomLimits) {
    this.#limits = limits;
    this.#formats = formats(limits);
    this.#members = this.#membersOf(this.#formats);
    const members = () => this.#members;
    this.shape = {
      begin: () => this.#reset(),
      get members() {
        return members();
      },
    };
  }

  finish(): Contents {
    const { spdx, cyclonedx, openvex } = this.#formats;
    if (this.#isWrapper) {
      throw new SbomRefused("attestation", "is an attestation of a document, not the document");
    }
    const context = firstText(this.#context);
    if (SPDX3.test(context)) throw new SbomRefused("spdx3", "is SPDX 3, which is not supported");
    const isVex = /^https:\/\/openvex\.dev\/ns(?:[/@]|$)/.test(context);
    const found = [spdx.specVersion !== undefined, cyclonedx.specVersion !== undefined, isVex];
    if (found.filter(Boolean).length !== 1) {
      throw new SbomRefused("unknown_format", "is neither SPDX, CycloneDX nor OpenVEX");
    }
    if (isVex) return { format: "openvex", vex: openvex.finish() };
    if (spdx.specVersion !== undefined) return { format: "spdx", sbom: spdx.finish() };
    return { format: "cyclonedx", ...cyclonedx.finish() };
  }

  #reset(): void {
    this.#formats = formats(this.#limits);
    this.#members = this.#membersOf(this.#formats);
    this.#context = undefined;
    this.#isWrapper = false;
  }

  #membersOf({ spdx, cyclonedx, openvex }: Formats): ReadonlyMap<string, Shape> {
    const wrapper: Shape = { begin: () => (this.#isWrapper = true), keys: NO_KEYS };
    return new Map([
      ...[...spdx.members, ...cyclonedx.members, ...openvex.members],
      ["@context", { value: (value: unknown) => (this.#context = value) }],
      ...WRAPPERS.map((name): [string, Shape] => [name, wrapper]),
    ]);
  }
}

interface Formats {
  readonly spdx: SpdxCollector;
  readonly cyclonedx: CycloneDxCollector;
  readonly openvex: OpenVexCollector;
}

function formats(limits: SbomLimits): Formats {
  return {
    spdx: new SpdxCollector(limits),
    cyclonedx: new CycloneDxCollector(limits),
    openvex: new OpenVexCollector(limits),
  };
}

/** The context is a text, or a list that begins with one. */
function firstText(value: unknown): string {
  const first = Array.isArray(value) ? value[0] : value;
  return typeof first === "string" ? first : "";
}
