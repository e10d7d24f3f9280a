/** Parses path templates of google.api.http: the subset that the contract uses. */

export interface Variable {
  /** Dotted proto field path, such as `group.uid`. */
  readonly field: string;
  /** True for `**`: zero or more segments. */
  readonly deep: boolean;
}

export interface Template {
  readonly segments: readonly (string | Variable)[];
  /** The custom verb after the final colon, or "". */
  readonly verb: string;
}

const SEGMENT = /^\{([a-z0-9_.]+)(?:=(\*\*?))?\}$/;
const LITERAL = /^[A-Za-z0-9_.-]+$/;

/** Parses a template. Throws on unsupported forms. */
export function parseTemplate(text: string): Template {
  const [, path = "", verb = ""] = /^\/(.+?)(?::([A-Za-z0-9]+))?$/.exec(text) ?? [];
  const segments = path.split("/").map((segment) => parseSegment(segment, text));
  const deep = segments.filter((segment) => typeof segment === "object" && segment.deep);
  if (deep.length > 1) throw new Error(`path template ${text} has more than one **`);
  return { segments, verb };
}

function parseSegment(segment: string, text: string): string | Variable {
  const variable = SEGMENT.exec(segment);
  if (variable) return { field: variable[1] as string, deep: variable[2] === "**" };
  if (!LITERAL.test(segment)) throw new Error(`cannot use path template ${text}`);
  return segment;
}
