import { type Attribute, complex, flag, link, many, text, time } from "./attributes.ts";

const CORE = "urn:ietf:params:scim:schemas:core:2.0";
const EXTENSION = "urn:ietf:params:scim:schemas:extension";

export interface Schema {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly attributes: readonly Attribute[];
}

/** A resource type. */
export interface ScimKind {
  readonly name: "User" | "Group";
  readonly collection: "Users" | "Groups";
  readonly schema: Schema;
  /** The extension schema; its attributes are nested below its id. */
  readonly extension?: Schema;
  /** The attribute with the name. */
  readonly nameAttribute: "userName" | "displayName";
  /** The attribute with the memberships, which are stored separately. */
  readonly relation: "groups" | "members";
}

/** The common attributes of all resources. */
export const COMMON: readonly Attribute[] = [
  text("id", "Our id.", { caseExact: true, mutability: "readOnly", returned: "always" }),
  text("externalId", "The identity provider's id.", { caseExact: true }),
  complex(
    "meta",
    "About the resource.",
    [
      text("resourceType", "Its kind.", { caseExact: true, mutability: "readOnly" }),
      time("created", "When it was created."),
      time("lastModified", "When it was last changed."),
      text("location", "Where it is.", { caseExact: true, mutability: "readOnly" }),
      text("version", "Its version, as in the ETag.", { caseExact: true, mutability: "readOnly" }),
    ],
    { mutability: "readOnly" },
  ),
];

const userSchema: Schema = {
  id: `${CORE}:User`,
  name: "User",
  description: "A person",
  attributes: [
    text("userName", "The unique name that the person signs in with.", {
      required: true,
      uniqueness: "server",
    }),
    complex("name", "The parts of the person's name.", [
      text("formatted", "The whole name, ready to show."),
      text("familyName", "The family name."),
      text("givenName", "The given name."),
      text("middleName", "The middle names."),
      text("honorificPrefix", "The prefix, such as a title."),
      text("honorificSuffix", "The suffix."),
    ]),
    text("displayName", "The name to show."),
    text("nickName", "The casual name."),
    link("profileUrl", "A page about the person.", "external"),
    text("title", "The person's position."),
    text("userType", "How the person belongs to the organization."),
    text("preferredLanguage", "Languages, as in Accept-Language."),
    text("locale", "How to write numbers and times."),
    text("timezone", "The time zone, such as Europe/Berlin."),
    flag("active", "Whether the person may sign in."),
    many("emails", "Email addresses; not used to identify people."),
    many("phoneNumbers", "Phone numbers."),
    many("ims", "Addresses for instant messages."),
    many("photos", "Links to pictures."),
    complex(
      "addresses",
      "Postal addresses.",
      [
        text("formatted", "The whole address."),
        text("streetAddress", "Street and number."),
        text("locality", "The city."),
        text("region", "The state or region."),
        text("postalCode", "The postal code."),
        text("country", "The country."),
        text("type", "What it is for, such as work or home."),
        flag("primary", "Whether it is the preferred one; true at most once."),
      ],
      { multiValued: true },
    ),
    complex(
      "groups",
      "The groups that the person is in; changed through the groups.",
      [
        text("value", "The group's id.", { caseExact: true, mutability: "readOnly" }),
        link("$ref", "Where the group is.", "Group"),
        text("display", "The group's name.", { mutability: "readOnly" }),
        text("type", "Always direct.", { mutability: "readOnly" }),
      ],
      { multiValued: true, mutability: "readOnly" },
    ),
    many("entitlements", "What the person is entitled to, as the provider sees it."),
    many("roles", "The person's roles, as the provider sees it."),
  ],
};

const enterpriseSchema: Schema = {
  id: `${EXTENSION}:enterprise:2.0:User`,
  name: "EnterpriseUser",
  description: "A person in a company",
  attributes: [
    text("employeeNumber", "The number in the company's books."),
    text("costCenter", "The cost center."),
    text("organization", "The organization."),
    text("division", "The division."),
    text("department", "The department."),
    complex("manager", "The person's manager.", [
      text("value", "The manager's id.", { caseExact: true }),
      link("$ref", "Where the manager is.", "external"),
      text("displayName", "The manager's name."),
    ]),
  ],
};

const groupSchema: Schema = {
  id: `${CORE}:Group`,
  name: "Group",
  description: "A group of people",
  attributes: [
    text("displayName", "The name to show.", { required: true }),
    complex(
      "members",
      "Who is in the group.",
      [
        text("value", "The person's id.", { caseExact: true }),
        link("$ref", "Where the person is.", "User"),
        text("display", "The person's name.", { mutability: "readOnly" }),
        text("type", "Always User.", { mutability: "readOnly" }),
      ],
      { multiValued: true },
    ),
  ],
};

export const USER: ScimKind = {
  name: "User",
  collection: "Users",
  schema: userSchema,
  extension: enterpriseSchema,
  nameAttribute: "userName",
  relation: "groups",
};

export const GROUP: ScimKind = {
  name: "Group",
  collection: "Groups",
  schema: groupSchema,
  nameAttribute: "displayName",
  relation: "members",
};

export const KINDS: readonly ScimKind[] = [USER, GROUP];

export const SCHEMAS: readonly Schema[] = [userSchema, enterpriseSchema, groupSchema];
