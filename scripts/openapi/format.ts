const LINE_WIDTH = 120;

/** A value as a committed file. */
export function formatted(value: unknown): string {
  return `${lines(JSON.parse(JSON.stringify(value)), "")}\n`;
}

/** JSON in which objects and arrays that fit have one line, so that the diff of a change is short. */
function lines(value: unknown, indent: string): string {
  const flat = JSON.stringify(value);
  if (typeof value !== "object" || value === null || flat.length + indent.length < LINE_WIDTH)
    return flat;
  const deeper = `${indent}  `;
  const isArray = Array.isArray(value);
  const members = Object.entries(value).map(
    ([key, one]) => deeper + (isArray ? "" : `${JSON.stringify(key)}: `) + lines(one, deeper),
  );
  const [open, close] = isArray ? "[]" : "{}";
  return `${open}\n${members.join(",\n")}\n${indent}${close}`;
}
