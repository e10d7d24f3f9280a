/** Whether a text matches a pattern in which `*` stands for any characters. Takes linear time for each `*`. */
export function matchesGlob(pattern: string, text: string): boolean {
  const [head = "", ...rest] = pattern.split("*");
  if (rest.length === 0) return pattern === text;
  const tail = rest.pop() ?? "";
  if (!text.startsWith(head) || text.length < head.length + tail.length) return false;
  if (!text.endsWith(tail)) return false;
  const end = text.length - tail.length;
  let at = head.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found < 0 || found + part.length > end) return false;
    at = found + part.length;
  }
  return true;
}

/** Whether a method or action matches a pattern, which may leave out the service. */
export function matchesMethod(pattern: string, method: string): boolean {
  if (matchesGlob(pattern, method)) return true;
  const slash = method.lastIndexOf("/");
  return slash >= 0 && matchesGlob(pattern, method.slice(slash + 1));
}
