import type { MessageInitShape } from "@bufbuild/protobuf";
import type { CustomOverlaySchema } from "@wharf/contract";
import type { overlayV1 } from "@wharf/contract/v1";
import { invalidArgument } from "../../lib/errors.ts";

/** Translates the custom overlay of images to version 2. */
export function overlayV2({
  contents,
  environment,
  annotations,
  accounts,
  certificates,
}: overlayV1.CustomOverlay): MessageInitShape<typeof CustomOverlaySchema> {
  const { additional = [], providers = [] } = certificates ?? {};
  return {
    ...(contents && { contents: contentsV2(contents) }),
    environment,
    annotations,
    ...(accounts && { accounts: accountsV2(accounts) }),
    ...(certificates && { certificates: { additional: additional.map(entry), providers } }),
  };
}

function contentsV2({ packages, runtimeRepositories, runtimeKeyring }: overlayV1.ImageContents) {
  return { packages, runtimeRepositories, runtimeKeyring: runtimeKeyring.map(entry) };
}

function entry({ name, content }: { name: string; content: string }) {
  return { name, content };
}

function accountsV2({ runAs, users, groups }: overlayV1.ApkoConfig_Accounts) {
  return {
    runAs,
    users: users.map(({ uid, userName: username, gid = 0, groupName, shell, homeDir }, at) => {
      mustBeInt32(`users[${at}]`, { uid, gid });
      return { username, uid, gid, groupName, shell, homeDir };
    }),
    groups: groups.map(({ gid, groupName: groupname, members }, at) => {
      mustBeInt32(`groups[${at}]`, { gid });
      return { groupname, gid, members };
    }),
  };
}

const MAX_INT32 = 2 ** 31 - 1;

/** Account ids are unsigned in version 1 and signed in version 2. */
function mustBeInt32(account: string, numbers: Readonly<Record<string, number>>): void {
  for (const [name, value] of Object.entries(numbers)) {
    if (value <= MAX_INT32) continue;
    const description = `${name} must be at most ${MAX_INT32}`;
    throw invalidArgument({ field: `customOverlay.accounts.${account}`, description });
  }
}
