/** The number of lines of a text; a line end at the end begins no further one. */
export function countLines(text: string): number {
  return text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
}
