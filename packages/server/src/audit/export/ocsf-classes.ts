import type { StoredAuditEntry } from "../../store/tables/audit/entries.ts";

/** The OCSF class and activity of an entry. */
export interface Classification {
  readonly classUid: number;
  readonly className: string;
  readonly categoryUid: number;
  readonly categoryName: string;
  readonly activityId: number;
  readonly activityName: string;
  /** Which attribute names what was acted on. */
  readonly target: "user" | "login" | "group" | "role" | "resource";
}

type Activity = readonly [id: number, name: string];

type Target = Classification["target"];

/** A class, and its activities by the verb of the method. */
interface Class extends Omit<Classification, "activityId" | "activityName"> {
  readonly activities: Readonly<Record<string, Activity>>;
}

function iam(
  classUid: number,
  className: string,
  target: Target,
  activities: Class["activities"],
): Class {
  const category = { categoryUid: 3, categoryName: "Identity & Access Management" };
  return { classUid, className, ...category, target, activities };
}

const CREATE_UPDATE_DELETE: Class["activities"] = {
  Create: [1, "Create"],
  Update: [2, "Update"],
  Delete: [3, "Delete"],
};

/** Types of resources with a class of their own; their other activities, and other types, are API activities. */
const CLASS_OF_TYPE: Readonly<Record<string, Class>> = {
  Group: iam(3006, "Group Management", "group", { Create: [6, "Create"], Delete: [5, "Delete"] }),
  Identity: iam(3007, "User Management", "user", CREATE_UPDATE_DELETE),
  Role: iam(3008, "Role Management", "role", CREATE_UPDATE_DELETE),
};

const API: Class = {
  ...{ classUid: 6003, className: "API Activity", target: "resource" },
  ...{ categoryUid: 6, categoryName: "Application Activity" },
  activities: {
    Create: [1, "Create"],
    Get: [2, "Read"],
    List: [2, "Read"],
    Update: [3, "Update"],
    Delete: [4, "Delete"],
  },
};

/** Methods and actions that are sign-ins or tokens. */
const AUTHENTICATION = iam(3002, "Authentication", "login", {
  login: [1, "Logon"],
  logout: [2, "Logoff"],
  Exchange: [3, "Authentication Ticket"],
  refresh: [3, "Authentication Ticket"],
  "registry token": [4, "Service Ticket Request"],
});

const OTHER = 99;

export function classify({ method, resourceType }: StoredAuditEntry): Classification {
  const name = method.slice(method.lastIndexOf("/") + 1);
  const verb = /^(Create|Get|List|Update|Delete)/.exec(name)?.[0] ?? "";
  const own = CLASS_OF_TYPE[resourceType];
  const found =
    classified(AUTHENTICATION, name) ?? (own && classified(own, verb)) ?? classified(API, verb);
  return found ?? { ...API, activityId: OTHER, activityName: name };
}

function classified(of: Class, key: string): Classification | undefined {
  const activity = Object.hasOwn(of.activities, key) ? of.activities[key] : undefined;
  return activity && { ...of, activityId: activity[0], activityName: activity[1] };
}
