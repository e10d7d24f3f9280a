const FORMATS = [
  ["spdx3", /^https:\/\/spdx\.dev\/Document\/v3(?:\.|$)/],
  ["spdx", /^https:\/\/spdx\.dev\/Document(?:\/v2\.[0-9]+)?$/],
  ["cyclonedx", /^https:\/\/cyclonedx\.org\/(?:bom|schema)(?:\/v1\.[0-9]+)?$/],
  ["openvex", /^https:\/\/openvex\.dev\/ns(?:[/@].*)?$/],
] as const;

/** The format of the predicates of a type; undefined for provenance and other types that are not read. */
export function predicateFormat(type: string) {
  return FORMATS.find(([, pattern]) => pattern.test(type))?.[0];
}
