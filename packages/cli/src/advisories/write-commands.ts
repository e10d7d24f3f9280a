import { command, define } from "../command/definition.ts";
import { DELETE } from "../command/verbs.ts";
import { PARENT } from "../resource/options.ts";

/** The commands that write advisories. */

export const ADVISORY = {
  name: "advisory",
  summary: "Id or uid of the advisory",
  required: true,
} as const;

/** What an advisory is about. */
const ABOUT = {
  architecture: { type: "string", value: "ARCH", summary: "Its architecture, such as x86_64" },
  component: { type: "string", value: "NAME", summary: "The component that is vulnerable" },
  "component-type": { type: "string", value: "TYPE", summary: "What kind of component it is" },
  location: { type: "string", value: "PATH", summary: "Where in the artifact the component is" },
  alias: {
    type: "list",
    aliases: ["cve"],
    summary: "What the vulnerability is called, such as CVE-2026-0001",
  },
  "legacy-id": { type: "string", value: "ID", summary: "What the advisory was called before" },
} as const;

export const createDefinition = define({
  name: "create",
  summary: "Create an advisory",
  examples: [
    {
      command: "wharf advisories create --parent acme --artifact openssl --alias CVE-2026-0001",
    },
  ],
  options: {
    parent: PARENT,
    artifact: {
      type: "string",
      value: "NAME",
      summary: "The artifact that the vulnerability is in",
      required: true,
    },
    "artifact-type": {
      type: "string",
      value: "TYPE",
      summary: "What kind of artifact it is: apk, image, library",
      default: "apk",
    },
    ...ABOUT,
    id: { type: "string", value: "ID", summary: "Its id; one is made where none is given" },
  },
});

export const updateDefinition = define({
  name: "update",
  summary: "Change what an advisory is about",
  examples: [
    { command: "wharf advisories update CGA-xxxx-xxxx-xxxx --alias CVE-2026-0001" },
    {
      command: "wharf advisories update CGA-xxxx-xxxx-xxxx --component ''",
      shows: "Empties what is given as empty; all else stays",
    },
  ],
  arguments: [ADVISORY],
  options: {
    artifact: { type: "string", value: "NAME", summary: "The artifact" },
    "artifact-type": { type: "string", value: "TYPE", summary: "What kind of artifact it is" },
    ...ABOUT,
  },
});

export const deleteDefinition = define({
  ...DELETE,
  summary: "Delete advisories",
  description:
    "They no longer show, but for those who follow changes, so that copies elsewhere can follow.",
  examples: [{ command: "wharf advisories delete CGA-xxxx-xxxx-xxxx" }],
  arguments: [
    { ...ADVISORY, name: "advisories", summary: "Ids or uids of advisories", variadic: true },
  ],
});

const EVENTS = {
  name: "events",
  summary: "Uids of events, or ids of advisories for all of theirs that are pending",
  required: true,
  variadic: true,
} as const;

export const approveDefinition = define({
  name: "approve",
  summary: "Approve events of advisories",
  description:
    "From then on they count, and no longer change. It takes the right to approve, and someone else than the author.",
  examples: [{ command: "wharf advisories approve CGA-xxxx-xxxx-xxxx" }],
  arguments: [EVENTS],
});

export const rejectDefinition = define({
  name: "reject",
  summary: "Reject events of advisories",
  description: "They stay, never count, and no longer change.",
  examples: [{ command: "wharf advisories reject CGA-xxxx-xxxx-xxxx" }],
  arguments: [EVENTS],
});

export const requestChangesDefinition = define({
  name: "request-changes",
  summary: "Ask the authors of events to change them",
  examples: [{ command: "wharf advisories request-changes CGA-xxxx-xxxx-xxxx" }],
  arguments: [EVENTS],
});

export const WRITING = [
  command(createDefinition, () => import("./create.ts")),
  command(updateDefinition, () => import("./update.ts")),
  command(deleteDefinition, () => import("./delete.ts")),
  command(approveDefinition, () => import("./approve.ts")),
  command(rejectDefinition, () => import("./reject.ts")),
  command(requestChangesDefinition, () => import("./request-changes.ts")),
];
