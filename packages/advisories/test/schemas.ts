import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import type { Ajv } from "ajv";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";

/** The published formats, by name. */
const FILES = {
  osv: "osv",
  openvex: "openvex-0.2.0",
  csaf: "csaf-2.0",
  sarif: "sarif-2.1.0",
} as const;

export type Format = keyof typeof FILES;

const compiled = new Map<Format, ValidateFunction>();

/**
 * For tests: asserts that a document is valid by the published schema of its format.
 *
 * @example assertValid("osv", document);
 */
export function assertValid(format: Format, document: unknown): void {
  const validate = compiled.get(format) ?? compile(format);
  compiled.set(format, validate);
  assert.ok(validate(document), JSON.stringify(validate.errors, null, 2));
}

function compile(format: Format): ValidateFunction {
  // A pattern of SARIF is no regular expression with the flag u.
  const unicodeRegExp = format !== "sarif";
  const ajv = new Ajv2020({ strict: false, allErrors: true, unicodeRegExp });
  formats(ajv);
  for (const version of ["2.0", "3.0", "3.1"]) {
    const schema = withoutDraft(read(`cvss-v${version}`));
    ajv.addSchema({ ...schema, $id: `https://www.first.org/cvss/cvss-v${version}.json` });
  }
  return ajv.compile(withoutDraft(read(FILES[format])));
}

/** Some schemas have an earlier draft; the keywords that they use have the same meaning. */
function withoutDraft({ $schema: _, id: _id, ...schema }: Record<string, unknown>): object {
  return schema;
}

export function formats(ajv: Ajv2020 | Ajv): void {
  (addFormats as unknown as (ajv: Ajv2020 | Ajv) => void)(ajv);
  // An IRI is a URI with Unicode characters.
  ajv.addFormat("iri", (text: string) => /^[a-z][a-z0-9+.-]*:\S+$/i.test(text));
}

function read(name: string): Record<string, unknown> {
  return JSON.parse(readFileSync(new URL(`schemas/${name}.json`, import.meta.url), "utf8"));
}
