import { isObject, objectsIn } from "../../lib/json-values.ts";
import { type Contents, DocumentCollector } from "./document.ts";
import { JsonReader } from "./json/json-reader.ts";
import type { Shape } from "./json/shape.ts";
import { SBOM_LIMITS, type SbomLimits } from "./limits.ts";
import { predicateFormat } from "./predicate-type.ts";
import { SbomRefused } from "./refusal.ts";
import { isHash } from "./texts.ts";

/** An in-toto statement of a file, with the document that it is about a subject. Signatures are not verified here. */
export interface Attestation {
  readonly predicateType: string;
  /** The SHA-256 digests of the subjects (`sha256:…`). */
  readonly subjects: readonly string[];
  /** The document; undefined if it was rejected, or if its predicate type is no SBOM and no VEX document. */
  readonly contents?: Contents | undefined;
  readonly refusal?: SbomRefused | undefined;
}

const IN_TOTO = "application/vnd.in-toto+json";

/** Only names of members are of interest below. */
const SUBJECT_KEYS: ReadonlySet<string> = new Set(["name", "digest", "sha256"]);

/** Envelopes and statements in one file. */
const MAX_ATTESTATIONS = 1_000;

/**
 * Reads the statements of a file: plain in-toto statements, DSSE envelopes and Sigstore bundles, one or several. A
 * statement about none of `digests` is rejected (`wrong_subject`), as is every document that is not attested. Throws
 * SbomRefused for a file that is no JSON or exceeds a limit.
 */
export async function readAttestations(
  chunks: AsyncIterable<Uint8Array>,
  digests: ReadonlySet<string>,
  limits: SbomLimits = SBOM_LIMITS,
): Promise<Attestation[]> {
  const collector = new AttestationCollector(digests, limits, true);
  const reader = new JsonReader(collector.shape, limits, () => collector.finish());
  for await (const chunk of chunks) reader.write(chunk);
  reader.end();
  return collector.found;
}

class AttestationCollector {
  readonly found: Attestation[] = [];
  readonly shape: Shape;
  readonly #digests: ReadonlySet<string>;
  readonly #limits: SbomLimits;
  readonly #mayWrap: boolean;
  readonly #predicate: Predicate;
  #values = new Map<string, unknown>();

  /** `mayWrap`: whether envelopes are opened. What is in an envelope is a statement. */
  constructor(digests: ReadonlySet<string>, limits: SbomLimits, mayWrap: boolean) {
    this.#digests = digests;
    this.#limits = limits;
    this.#mayWrap = mayWrap;
    this.#predicate = new Predicate(limits);
    const envelope = ["payload", "payloadType"].map((name) => this.#scalar(name));
    this.shape = {
      begin: () => this.#reset(),
      members: new Map<string, Shape>([
        ...envelope,
        ["dsseEnvelope", { begin: () => this.#resetEnvelope(), members: new Map(envelope) }],
        this.#scalar("predicateType"),
        this.#scalar("subject"),
        ["predicate", this.#predicate.shape],
      ]),
    };
  }

  /** Reads one value of the file, whose members have been collected. */
  finish(): void {
    if (this.found.length >= MAX_ATTESTATIONS) {
      throw new SbomRefused("too_large", `has more than ${MAX_ATTESTATIONS} attestations`);
    }
    const payload = this.#values.get("payload");
    if (typeof payload === "string" && this.#mayWrap) this.#open(payload);
    else this.found.push(this.#statement());
  }

  #scalar(name: string): [string, Shape] {
    return [name, { value: (value) => this.#values.set(name, value), keys: SUBJECT_KEYS }];
  }

  #reset(): void {
    this.#values = new Map();
    this.#predicate.reset();
  }

  #resetEnvelope(): void {
    this.#values.delete("payload");
    this.#values.delete("payloadType");
  }

  /** Reads the statement in an envelope, whose payload is base64. */
  #open(payload: string): void {
    const type = this.#values.get("payloadType");
    this.#reset();
    if (type !== IN_TOTO) {
      this.found.push({ predicateType: text(type), subjects: [] });
      return;
    }
    if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(payload)) {
      const refusal = new SbomRefused(
        "invalid_payload",
        "the payload of the envelope is not base64",
      );
      this.found.push({ predicateType: "", subjects: [], refusal });
      return;
    }
    const inner = new AttestationCollector(this.#digests, this.#limits, false);
    const reader = new JsonReader(inner.shape, this.#limits, () => inner.finish());
    try {
      reader.write(Buffer.from(payload, "base64"));
      reader.end();
      this.found.push(...inner.found);
    } catch (error) {
      if (!(error instanceof SbomRefused)) throw error;
      this.found.push({ predicateType: "", subjects: [], refusal: error });
    }
  }

  #statement(): Attestation {
    const predicateType = text(this.#values.get("predicateType"));
    const subjects = subjectsOf(this.#values.get("subject"));
    if (predicateType === "") {
      const refusal = new SbomRefused("unknown_format", "is not an in-toto statement");
      return { predicateType, subjects, refusal };
    }
    const format = predicateFormat(predicateType);
    if (format === undefined) return { predicateType, subjects };
    try {
      if (format === "spdx3") throw new SbomRefused("spdx3", "is SPDX 3, which is not supported");
      if (!subjects.some((digest) => this.#digests.has(digest))) {
        throw new SbomRefused("wrong_subject", "is about other digests than those of the image");
      }
      return { predicateType, subjects, contents: this.#predicate.finish(format) };
    } catch (error) {
      if (!(error instanceof SbomRefused)) throw error;
      return { predicateType, subjects, refusal: error };
    }
  }
}

/** The document of a statement. Older releases of cosign wrap it in `Data`, some of them as a text. */
class Predicate {
  readonly shape: Shape;
  readonly #document: DocumentCollector;
  readonly #limits: SbomLimits;
  #data: string | undefined;

  constructor(limits: SbomLimits) {
    this.#limits = limits;
    this.#document = new DocumentCollector(limits);
    const { shape } = this.#document;
    const data: Shape = {
      begin: () => this.reset(),
      get members() {
        return shape.members as ReadonlyMap<string, Shape>;
      },
      value: (value) => {
        this.#data = typeof value === "string" ? value : undefined;
      },
      keys: new Set(),
    };
    this.shape = {
      begin: () => this.reset(),
      get members() {
        return new Map([...(shape.members ?? []), ["Data", data]]);
      },
    };
  }

  reset(): void {
    this.#document.shape.begin?.();
    this.#data = undefined;
  }

  finish(format: Contents["format"]): Contents {
    if (this.#data !== undefined) {
      const reader = new JsonReader(this.#document.shape, this.#limits, () => {});
      reader.write(Buffer.from(this.#data));
      reader.end();
    }
    const contents = this.#document.finish();
    if (contents.format !== format) {
      throw new SbomRefused("unknown_format", `is not the ${format} document that its type names`);
    }
    return contents;
  }
}

function subjectsOf(list: unknown): string[] {
  return objectsIn(list)
    .map(({ digest }) => (isObject(digest) ? digest.sha256 : undefined))
    .filter(isHash)
    .map((hash) => `sha256:${hash}`);
}

const MAX_TYPE_LENGTH = 1_024;

function text(value: unknown): string {
  return typeof value === "string" ? value.slice(0, MAX_TYPE_LENGTH).toWellFormed() : "";
}
