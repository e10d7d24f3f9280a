import { command, define, group } from "../command/definition.ts";
import { completeCapabilities, completeOf } from "../resolve/choices.ts";
import { GROUP, IDENTITY } from "../resolve/kinds.ts";
import { LIST } from "../resource/commands.ts";
import { listOptions } from "../resource/options.ts";

export const listDefinition = define({
  ...LIST,
  summary: "Show who can do what on a resource, or what an identity can do where",
  description: `Role bindings apply to their group and everything below it. Group mappings grant a role to groups of an
identity provider; their members are only known while they are signed in, from the sessions that you
are allowed to list.`,
  examples: [
    { command: "wharf access list --resource acme/platform", shows: "who can do what there" },
    {
      command: "wharf access list --identity dev@example.com",
      shows: "what the identity can do where",
    },
    {
      command: "wharf access list --resource acme --capability repo.blobs.get -o csv",
      shows: "who can pull",
    },
  ],
  options: {
    resource: {
      type: "string",
      summary: "Group or repo by name, or any resource by UID",
      complete: completeOf(GROUP),
    },
    identity: {
      type: "string",
      summary: "Identity: name, email address or UID",
      complete: completeOf(IDENTITY),
    },
    capability: {
      type: "string",
      summary: "Only roles with this capability, such as repo.blobs.get",
      complete: completeCapabilities,
    },
    ...listOptions(),
  },
});

const CAPABILITY = {
  name: "capability",
  summary: "Capability, such as repo.blobs.get",
  required: true,
  complete: completeCapabilities,
} as const;

const RESOURCE = {
  name: "resource",
  summary: "Group or repo by name, or any resource by UID",
  required: true,
  complete: completeOf(GROUP),
} as const;

export const checkDefinition = define({
  name: "check",
  summary: "Check whether you, or another identity, may do something, and why",
  description: `Asks the server, which decides as for a request. Exits with 0 if it is allowed, and with 1 if it is denied.
About others, you need role_bindings.list at the resource.`,
  examples: [
    { command: "wharf access check repo.delete acme/platform", shows: "may I delete repos there?" },
    {
      command: "wharf access check repo.blobs.get acme/platform/app --identity ci",
      shows: "may the identity ci pull?",
    },
    {
      command: "wharf access check tag.delete acme/platform --decision",
      shows: "only decide, without reasons: for scripts",
    },
  ],
  arguments: [CAPABILITY, RESOURCE],
  options: {
    identity: {
      type: "string",
      summary: "Identity: name, email address or UID (default: you)",
      complete: completeOf(IDENTITY),
    },
    decision: { type: "boolean", summary: "Only decide, without the reason, which is faster" },
  },
});

export const access = group({
  name: "access",
  summary: "Audit who has access, and why",
  commands: [
    command(checkDefinition, () => import("./check.ts"), "check"),
    command(listDefinition, () => import("./run.ts"), "list"),
  ],
});
