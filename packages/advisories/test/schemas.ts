import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";

/** The published formats, by name. */
const FILES = { osv: "osv", openvex: "openvex-0.2.0", csaf: "csaf-2.0" } as const;

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
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  formats(ajv);
  // The CVSS schemas have an earlier draft; the keywords that they use have the same meaning.
  for (const version of ["2.0", "3.0", "3.1"]) {
    const { $schema: _, id: _id, ...schema } = read(`cvss-v${version}`);
    ajv.addSchema({ ...schema, $id: `https://www.first.org/cvss/cvss-v${version}.json` });
  }
  return ajv.compile(read(FILES[format]));
}

function formats(ajv: Ajv2020): void {
  (addFormats as unknown as (ajv: Ajv2020) => void)(ajv);
  // An IRI is a URI with Unicode characters.
  ajv.addFormat("iri", (text: string) => /^[a-z][a-z0-9+.-]*:\S+$/i.test(text));
}

function read(name: string): Record<string, unknown> {
  return JSON.parse(readFileSync(new URL(`schemas/${name}.json`, import.meta.url), "utf8"));
}
