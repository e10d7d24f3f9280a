import { isField, licensesOf } from "./distribution-package.ts";
import { type LanguagePackage, languagePackage } from "./language-package.ts";
import { paragraphsOf } from "./lines.ts";

/** Metadata of installed distributions: of wheels, of eggs, and the single file of distutils. */
export const PYTHON_PATH =
  /(?:^|\/)[^/]+\.(?:dist-info\/METADATA|egg-info\/PKG-INFO|egg-info)$|\/EGG-INFO\/PKG-INFO$/;

const FIELDS: ReadonlySet<string> = new Set([
  ...["name", "version", "license", "license-expression", "classifier"],
]);

/** The placeholder in license fields without a license. */
const UNKNOWN = "UNKNOWN";

/** Reads the fields above the description. */
export function pythonPackages(bytes: Buffer): LanguagePackage[] {
  const [fields] = paragraphsOf(bytes, FIELDS);
  const [name, version] = [fields?.get("name"), fields?.get("version")];
  if (fields === undefined || !isField(name) || !isField(version)) return [];
  const classifiers = (fields.get("classifier") ?? "")
    .split("\n")
    .filter((text) => text.startsWith("License :: "))
    .map((text) => text.slice(text.lastIndexOf(":: ") + 3));
  const stated = [fields.get("license-expression") ?? fields.get("license")];
  const licenses = licensesOf(stated).filter((text) => text !== UNKNOWN);
  return [
    languagePackage("python", name, version, {
      licenses: licenses.length > 0 ? licenses : licensesOf(classifiers),
      // Names are equal if they are so in this form (PEP 503).
      segments: [name.toLowerCase().replace(/[-_.]+/g, "-")],
    }),
  ];
}
