/** The definition of an attribute (RFC 7643). */
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

const DEFAULTS: Omit<Attribute, "name" | "type" | "description"> = {
  multiValued: false,
  required: false,
  caseExact: false,
  mutability: "readWrite",
  returned: "default",
  uniqueness: "none",
};

type Rest = Partial<Omit<Attribute, "name" | "type" | "description">>;

export function text(name: string, description: string, rest: Rest = {}): Attribute {
  return { name, type: "string", description, ...DEFAULTS, ...rest };
}

export function flag(name: string, description: string, rest: Rest = {}): Attribute {
  return { name, type: "boolean", description, ...DEFAULTS, ...rest };
}

export function time(name: string, description: string): Attribute {
  return { name, type: "dateTime", description, ...DEFAULTS, mutability: "readOnly" };
}

/** A reference to a SCIM resource or an external URL. */
export function link(name: string, description: string, ...referenceTypes: string[]): Attribute {
  const mutability = referenceTypes.includes("external") ? "readWrite" : "readOnly";
  return {
    ...DEFAULTS,
    name,
    type: "reference",
    description,
    mutability,
    caseExact: true,
    referenceTypes,
  };
}

/** A complex attribute. */
export function complex(
  name: string,
  description: string,
  subAttributes: readonly Attribute[],
  rest: Rest = {},
): Attribute {
  return { name, type: "complex", description, ...DEFAULTS, subAttributes, ...rest };
}

/** A multi-valued attribute with type and primary flag. */
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

/** Finds an attribute by name, case-insensitively. */
export function attributeNamed(
  attributes: readonly Attribute[],
  name: string,
): Attribute | undefined {
  const lowerName = name.toLowerCase();
  return attributes.find((attribute) => attribute.name.toLowerCase() === lowerName);
}
