/** The UID of the organization of every data set: the parent of all other groups. */
export const ORGANIZATION = "0123456789abcdef0123456789abcdef01234567";

/** The name and description of a group of every data set; those that rows create are as long. */
export function teamNamed(word: string): { readonly name: string; readonly description: string } {
  return { name: `team-${word}`, description: `Builds and ships what team ${word} owns` };
}
