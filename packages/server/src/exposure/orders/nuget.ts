import { versionOrder } from "./order.ts";
import { compareSemantic, parseSemantic } from "./semver.ts";

/** NuGet: Semantic Versioning with a fourth number, in which letters are equal in both cases. */
export const nuget = versionOrder(
  "nuget",
  (text) => parseSemantic(text.toLowerCase()),
  compareSemantic,
);
