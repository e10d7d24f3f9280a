import { type Package, PackageSchema, PackagesService } from "@wharf/contract";
import { Resource } from "../engine/resource.ts";
import { type FieldViolation, invalidArgument } from "../lib/errors.ts";

/** The versions of packages, of the whole installation: they have no group, and everybody sees the same. */
export const packages: Resource<Package> = new Resource({
  service: PackagesService,
  schema: PackageSchema,
  table: "packages",
  tree: { rootsAreShared: true, uniqueNames: true },
  index: { filters: [{ field: "name", column: "name", type: "common" }] },
  hooks: {
    resolveParent: async () => "",
    beforeCreate: (_mutation, created) => check(created),
    beforeUpdate(_mutation, before, after) {
      if (before.name !== after.name)
        throw invalidArgument({ field: "name", description: "name cannot be changed" });
      check(after);
    },
  },
});

const MAX_GRACE_PERIOD_MONTHS = 240;

/** Checks what the validation rules of the contract cannot express. */
function check({ gracePeriodMonths, versions }: Package): void {
  const found: FieldViolation[] = [];
  if (gracePeriodMonths < 0 || gracePeriodMonths > MAX_GRACE_PERIOD_MONTHS) {
    const description = `gracePeriodMonths must be from 0 to ${MAX_GRACE_PERIOD_MONTHS}`;
    found.push({ field: "gracePeriodMonths", description });
  }
  const seen = new Set<string>();
  for (const [index, { version, releaseDate, eolDate }] of versions.entries()) {
    const at = `versions[${index}]`;
    if (seen.has(version))
      found.push({ field: `${at}.version`, description: "version must be unique in the package" });
    seen.add(version);
    for (const [name, date] of Object.entries({ releaseDate, eolDate })) {
      if (date !== "" && !isDay(date))
        found.push({ field: `${at}.${name}`, description: `${name} must be a day that exists` });
    }
  }
  if (found.length > 0) throw invalidArgument(...found);
}

/** Whether a day exists: Date.parse reads the 31st of a short month as the 1st of the next. */
function isDay(date: string): boolean {
  const time = Date.parse(`${date}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(date);
}
