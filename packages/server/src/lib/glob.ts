/**
 * Whether a whole text matches a glob: `*` stands for any characters, `?` for one. Only the last `*` is tried again, so the
 * time is bounded by the product of both lengths.
 */
export function matchesGlob(glob: string, text: string): boolean {
  let [at, position, star, resume] = [0, 0, -1, 0];
  while (position < text.length) {
    if (glob[at] === "*") {
      star = at++;
      resume = position;
    } else if (glob[at] === "?" || (at < glob.length && glob[at] === text[position])) {
      at++;
      position++;
    } else {
      if (star < 0) return false;
      at = star + 1;
      position = ++resume;
    }
  }
  while (glob[at] === "*") at++;
  return at === glob.length;
}
