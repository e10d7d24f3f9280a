/**
 * The roles that every installation has. Bindings refer to their UIDs, which therefore never change: the first 40
 * hexadecimal characters of the SHA-256 of "wharf built-in role <name>". Viewer has the UID that existing clients use.
 */
import {
  ADVISORIES_APPROVER,
  ADVISORIES_CREATOR,
  ADVISORIES_VIEWER,
  APK_PULL,
  APK_PUSH,
  AUDITOR,
  CONSOLE_VIEWER,
  EDITOR,
  GUARDENER_USER,
  LIMITED_OWNER,
  libraryPull,
  libraryPush,
  libraryTokens,
  OWNER,
  PULL_TOKEN_CREATOR,
  REGISTRY_EDITOR,
  REGISTRY_PULL,
  REGISTRY_PUSH,
  SKILLS_PUBLISHER,
  VIEWER,
} from "./builtin-grants.ts";
import { type Capability, capabilityFromName } from "./capabilities.ts";

export interface BuiltinRole {
  readonly uid: string;
  readonly name: string;
  readonly description: string;
  /** Sorted by enum number, without duplicates. */
  readonly capabilities: readonly Capability[];
}

function role(uid: string, name: string, title: string, granted: readonly string[]): BuiltinRole {
  const capabilities = [...new Set(granted)].map((dotted) => {
    const capability = capabilityFromName(dotted);
    if (capability === undefined)
      throw new TypeError(`${name} grants the unknown capability ${dotted}`);
    return capability;
  });
  return Object.freeze({
    uid,
    name,
    description: `${title} Role (built-in)`,
    capabilities: Object.freeze(capabilities.sort((a, b) => a - b)),
  });
}

export const BUILTIN_ROLES: readonly BuiltinRole[] = Object.freeze([
  role("e954023f98a5924985de5b87bd35a495b444a86b", "owner", "Owner", OWNER),
  role("3c98a8783753b902a3ed825e9a113815237f7ea1", "editor", "Editor", EDITOR),
  role("63921b2c44617e3f2603851537be0123af4a57d7", "viewer", "Viewer", VIEWER),
  role(
    "5bc5ceb0d640391265762e02dc7d4e9bb146b30b",
    "console_viewer",
    "Console Viewer",
    CONSOLE_VIEWER,
  ),
  role("42eda49d0d32d1bd4defa81f495e1d8931ed36bf", "limited_owner", "Limited Owner", LIMITED_OWNER),
  role("9ed4649341bb77d7055303a03be84bf25654e949", "auditor", "Auditor", AUDITOR),
  role("c60786c4b6ef95b9099535c5b447dc0a7cc7881e", "registry.pull", "Registry Pull", REGISTRY_PULL),
  role("3fbf214f5367b78fa62d617df5630ca7fbcee46d", "registry.push", "Registry Push", REGISTRY_PUSH),
  role(
    "e7bed387798faf6ff7388de5ee40ee324f2c0c43",
    "registry.pull_token_creator",
    "Registry Pull Token Creator",
    [...REGISTRY_PULL, ...APK_PULL, ...PULL_TOKEN_CREATOR],
  ),
  role(
    "99beabc233c30d6095d450a048f5e632fe345262",
    "registry.editor",
    "Registry Editor",
    REGISTRY_EDITOR,
  ),
  role("cbb0baf2de389b57252f54b4a7869f7b80454745", "apk.pull", "APK Pull", APK_PULL),
  role("c0ca8aa984fd89877efd0e47676bae2b23734f2b", "apk.push", "APK Push", APK_PUSH),
  role(
    "07b21f65bdcc735f4543d837b13be160bcc66d30",
    "libraries.java.pull",
    "Java Libraries Pull",
    libraryPull("java"),
  ),
  role(
    "f14e1b8b8372cafbb120841358c369a5e74871ec",
    "libraries.java.push",
    "Java Libraries Push",
    libraryPush("java"),
  ),
  role(
    "57d338787b31bbfd8e26eca1db8e0e5cd74039fb",
    "libraries.java.pull_token_creator",
    "Java Libraries Pull Token Creator",
    libraryTokens("java"),
  ),
  role(
    "03683fc2ce17c4298b1cc0b09846e8c9622d04c3",
    "libraries.python.pull",
    "Python Libraries Pull",
    libraryPull("python"),
  ),
  role(
    "41b3bb09e9b1c93d40b0b2f9c0cf9bccdb874574",
    "libraries.python.push",
    "Python Libraries Push",
    libraryPush("python"),
  ),
  role(
    "aadbb72078e79033f2380dbb3c43178530d2c0c8",
    "libraries.python.pull_token_creator",
    "Python Libraries Pull Token Creator",
    libraryTokens("python"),
  ),
  role(
    "074835a7514d6f3e17a084d54ed9214038d369f9",
    "libraries.javascript.pull",
    "JavaScript Libraries Pull",
    libraryPull("javascript"),
  ),
  role(
    "f324cdf8ce42fe76524f55bd5861a0344dce2028",
    "libraries.javascript.push",
    "JavaScript Libraries Push",
    libraryPush("javascript"),
  ),
  role(
    "b3a3c6957470fef1da91b703c9fbccbf18396a1a",
    "libraries.javascript.pull_token_creator",
    "JavaScript Libraries Pull Token Creator",
    libraryTokens("javascript"),
  ),
  role(
    "fe862fcb87fbf3eb1c5d3de1312ee3b090893a58",
    "libraries.dotnet.pull",
    ".NET Libraries Pull",
    libraryPull("dotnet"),
  ),
  role(
    "a0acf63319edb4692c39a6a4539f8f90526939a3",
    "libraries.dotnet.push",
    ".NET Libraries Push",
    libraryPush("dotnet"),
  ),
  role(
    "9ed2544e3ec6363dd156edda5818bbdfbdde0f93",
    "libraries.dotnet.pull_token_creator",
    ".NET Libraries Pull Token Creator",
    libraryTokens("dotnet"),
  ),
  role(
    "e35c268ba854ea66f3b09bd5a7e521cb30ef340b",
    "libraries.go.pull",
    "Go Libraries Pull",
    libraryPull("go"),
  ),
  role(
    "c6f2288105608728bcb358b580dbd52c9bac8bca",
    "libraries.go.push",
    "Go Libraries Push",
    libraryPush("go"),
  ),
  role(
    "7bde9ea54633edab52f94ef249be43d2b8d790ec",
    "libraries.go.pull_token_creator",
    "Go Libraries Pull Token Creator",
    libraryTokens("go"),
  ),
  role(
    "b50a015a82154c4ed62be30d24b31c3d5237d675",
    "guardener.user",
    "Guardener User",
    GUARDENER_USER,
  ),
  role("9cd0667ee3bcadfebb071cb093638035eabf493f", "guardener.admin", "Guardener Admin", [
    ...GUARDENER_USER,
    "terms.accept",
    "guardener.association.manage",
  ]),
  role(
    "aad18eab0d48c61bf82da45bbd57c20462c28fa5",
    "advisories.viewer",
    "Advisories Viewer",
    ADVISORIES_VIEWER,
  ),
  role(
    "8a9f01f4a2cfaea9a74dde826046cb299183d194",
    "advisories.creator",
    "Advisories Creator",
    ADVISORIES_CREATOR,
  ),
  role(
    "de9aea50be33c586bebb8f76ca25f8fbe3b3fd41",
    "advisories.approver",
    "Advisories Approver",
    ADVISORIES_APPROVER,
  ),
  role("1d044e934a5f9df8c1074aa07479e8d1814a92da", "advisories.admin", "Advisories Admin", [
    ...ADVISORIES_APPROVER,
    "advisories.delete",
  ]),
  role("1ce0c55cc35ee2d602ab070af4aff72baad05fbf", "actions.viewer", "Actions Viewer", [
    "actions.list",
  ]),
  role(
    "3204bdb43a39e4d3a4c417fe17eda2dd9f873a5a",
    "skills.publisher",
    "Skills Publisher",
    SKILLS_PUBLISHER,
  ),
  role("5518617472666ce8f80a5461e44be40ea8803b71", "mcp.tool_user", "MCP Tool User", [
    "mcp.tool.call",
  ]),
  role("3133c914b9df047932a7d2be4ca14287dac1f12a", "argos.operator", "Argos Operator", [
    "argos.documents.create",
    "argos.documents.list",
    "argos.documents.delete",
  ]),
  role("f67b32673db59199133c1ba7848c9bbf82f2aa5f", "argos.osv.reader", "Argos OSV Reader", [
    "argos.osv.read",
  ]),
]);

const BY_NAME = new Map(BUILTIN_ROLES.map((each) => [each.name, each]));
const BY_UID = new Map<string, BuiltinRole>(BUILTIN_ROLES.map((each) => [each.uid, each]));

/** @example builtinRole("viewer")?.uid // "63921b2c44617e3f2603851537be0123af4a57d7" */
export function builtinRole(name: string): BuiltinRole | undefined {
  return BY_NAME.get(name);
}

/** @example if (builtinRoleByUid(request.uid)) throw …; // cannot be changed */
export function builtinRoleByUid(uid: string): BuiltinRole | undefined {
  return BY_UID.get(uid);
}
