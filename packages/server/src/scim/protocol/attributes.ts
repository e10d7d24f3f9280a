/** What an attribute is, in the words of RFC 7643. */
export interface Attribute {
  readonly name: string;
  readonly type: "string" | "boolean" | "dateTime" | "reference" | "complex";
  readonly multiValued: boolean;
  readonly description: string;
  readonly required: boolean;
  readonly caseExact: boolean;
  readonly mutability: "readWrite" | "readOnly";
  readonly returned: "default" | "always";
  readonly uniqueness: "none" | "server";
  readonly referenceTypes?: readonly string[];
  readonly subAttributes?: readonly Attribute[];
}

const PLAIN: Omit<Attribute, "name" | "type" | "description"> = {
  multiValued: false,
  required: false,
  caseExact: false,
  mutability: "readWrite",
  returned: "default",
  uniqueness: "none",
};

type Rest = Partial<Omit<Attribute, "name" | "type" | "description">>;

export function text(name: string, description: string, rest: Rest = {}): Attribute {
  return { name, type: "string", description, ...PLAIN, ...rest };
}

export function flag(name: string, description: string, rest: Rest = {}): Attribute {
  return { name, type: "boolean", description, ...PLAIN, ...rest };
}

export function time(name: string, description: string): Attribute {
  return { name, type: "dateTime", description, ...PLAIN, mutability: "readOnly" };
}

/** A link: to a resource of ours, or to somewhere else. */
export function link(name: string, description: string, ...referenceTypes: string[]): Attribute {
  const mutability = referenceTypes.includes("external") ? "readWrite" : "readOnly";
  return {
    ...PLAIN,
    name,
    type: "reference",
    description,
    mutability,
    caseExact: true,
    referenceTypes,
  };
}

/** Several values in one. */
export function complex(
  name: string,
  description: string,
  subAttributes: readonly Attribute[],
  rest: Rest = {},
): Attribute {
  return { name, type: "complex", description, ...PLAIN, subAttributes, ...rest };
}

/** Any number of values, each with a type, one of them the primary one. */
export function many(name: string, description: string): Attribute {
  return complex(
    name,
    description,
    [
      text("value", "The value itself."),
      text("display", "How to show it."),
      text("type", "What it is for, such as work or home."),
      flag("primary", "Whether it is the preferred one; true at most once."),
    ],
    { multiValued: true },
  );
}

/** The attribute of a name, whatever case that is written in. */
export function attributeNamed(
  attributes: readonly Attribute[],
  name: string,
): Attribute | undefined {
  const wanted = name.toLowerCase();
  return attributes.find((attribute) => attribute.name.toLowerCase() === wanted);
}
