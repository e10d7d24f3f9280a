/** As long as Distribution lets a name be. */
const LONGEST = 255;

/** As deep as groups can be, and the repo. */
const MOST_SEGMENTS = 33;

/** A part of a name as the OCI distribution specification has it. */
const SEGMENT = /^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*$/;

/**
 * Whether a text is a repository's name in a registry: an organisation, and a repo at least.
 *
 * @example isRepositoryName("acme/team/app") // true
 */
export function isRepositoryName(text: string): boolean {
  if (text.length > LONGEST) return false;
  const segments = text.split("/");
  return (
    segments.length > 1 &&
    segments.length <= MOST_SEGMENTS &&
    segments.every((segment) => SEGMENT.test(segment))
  );
}
