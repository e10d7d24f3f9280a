import { versionOrder } from "./order.ts";
import { compareIdentifiers, compareSemantic, parseSemantic } from "./semver.ts";

/** Pub: Semantic Versioning, in which builds follow the version without build, in the order of prereleases. */
export const pub = versionOrder(
  "pub",
  parseSemantic,
  (one, other) => compareSemantic(one, other) || compareIdentifiers(one.build, other.build),
);
