import { command, define, group } from "../command/definition.ts";
import { LIST } from "../command/verbs.ts";
import { completeOf } from "../resolve/choices.ts";
import { completeCapabilities } from "../resolve/complete-capabilities.ts";
import { completeGroup } from "../resolve/group-choices.ts";
import { IDENTITY } from "../resolve/kinds.ts";

export const listDefinition = define({
  ...LIST,
  summary: "Show who can do what on a resource, or what an identity can do where",
  description: `Bindings count where they were made and everywhere below. Mappings give a role to groups of an
identity provider: who is in them is known only while they are logged in, which the sessions tell, as
far as you may list these.`,
  examples: [
    { command: "wharf access list --resource acme/platform", shows: "who can do what there" },
    { command: "wharf access list --identity dev@example.com", shows: "what they can do where" },
    {
      command: "wharf access list --resource acme --capability repo.blobs.get -o csv",
      shows: "who can pull",
    },
  ],
  options: {
    resource: {
      type: "string",
      summary: "A group or repo by name, or anything by uid",
      complete: completeGroup("group"),
    },
    identity: {
      type: "string",
      summary: "Who: name, e-mail address or uid of an identity",
      complete: completeOf(IDENTITY),
    },
    capability: {
      type: "string",
      summary: "Only what allows this, such as repo.blobs.get",
      complete: completeCapabilities,
    },
  },
});

export const access = group({
  name: "access",
  summary: "See who may do what, and why",
  commands: [command(listDefinition, () => import("./list.ts"))],
});
