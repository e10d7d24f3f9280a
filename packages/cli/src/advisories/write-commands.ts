import { define, type Options } from "../command/definition.ts";
import { PARENT } from "../resource/options.ts";

/** Commands that write and review advisories. */

export const ADVISORY = {
  name: "advisory",
  summary: "ID or UID of the advisory",
  required: true,
} as const;

const CONTENT = {
  architecture: { type: "string", value: "ARCH", summary: "Architecture, such as x86_64" },
  component: { type: "string", value: "NAME", summary: "Vulnerable component" },
  "component-type": { type: "string", value: "TYPE", summary: "Type of the component" },
  location: {
    type: "string",
    value: "PATH",
    summary: "Location of the component in the artifact",
  },
  alias: {
    type: "list",
    aliases: ["cve"],
    summary: "IDs of the vulnerability, such as CVE-2026-0001",
  },
  "legacy-id": { type: "string", value: "ID", summary: "Legacy ID of the advisory" },
} as const satisfies Options;

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
      summary: "Artifact with the vulnerability",
      required: true,
    },
    "artifact-type": {
      type: "string",
      value: "TYPE",
      summary: "Type of the artifact: apk, image, library",
      default: "apk",
    },
    ...CONTENT,
    id: { type: "string", value: "ID", summary: "ID of the advisory (default: generated)" },
  },
});

export const updateDefinition = define({
  name: "update",
  summary: "Update an advisory",
  examples: [
    { command: "wharf advisories update CGA-xxxx-xxxx-xxxx --alias CVE-2026-0001" },
    {
      command: "wharf advisories update CGA-xxxx-xxxx-xxxx --component ''",
      shows: "clear a field; others stay unchanged",
    },
  ],
  arguments: [ADVISORY],
  options: {
    artifact: { type: "string", value: "NAME", summary: "Artifact" },
    "artifact-type": { type: "string", value: "TYPE", summary: "Type of the artifact" },
    ...CONTENT,
  },
});

const EVENTS = {
  name: "events",
  summary: "UIDs of events, or IDs of advisories for all their pending events",
  required: true,
  variadic: true,
} as const;

export const approveDefinition = define({
  name: "approve",
  summary: "Approve events of advisories",
  description:
    "Approved events take effect and can no longer change. Requires advisories.approve; authors cannot approve their own events.",
  examples: [{ command: "wharf advisories approve CGA-xxxx-xxxx-xxxx" }],
  arguments: [EVENTS],
});

export const rejectDefinition = define({
  name: "reject",
  summary: "Reject events of advisories",
  description: "Rejected events are kept, but have no effect and can no longer change.",
  examples: [{ command: "wharf advisories reject CGA-xxxx-xxxx-xxxx" }],
  arguments: [EVENTS],
});

export const requestChangesDefinition = define({
  name: "request-changes",
  summary: "Request changes from the authors of events",
  examples: [{ command: "wharf advisories request-changes CGA-xxxx-xxxx-xxxx" }],
  arguments: [EVENTS],
});
