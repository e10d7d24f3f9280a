/** A message of the rules as a sentence: the command prints it after the name of an option instead. */
export function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
