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
  writes: true,
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
  writes: true,
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
  summary: "UIDs of events, or IDs or UIDs of advisories for all their pending events",
  required: true,
  variadic: true,
} as const;

const REASON = {
  reason: { type: "string", value: "TEXT", summary: "Reason, which is stored with the review" },
} as const satisfies Options;

const CONFIRMED =
  "Shows the pending events of an advisory and asks for confirmation; events named by UID are reviewed without.";

export const approveDefinition = define({
  writes: true,
  name: "approve",
  summary: "Approve events of advisories",
  description: `Approved events take effect and can no longer change. Requires advisories.approve; authors cannot \
approve their own events.

${CONFIRMED}`,
  examples: [
    { command: "wharf advisories approve CGA-xxxx-xxxx-xxxx" },
    { command: "wharf advisories approve CGA-xxxx-xxxx-xxxx --reason 'verified in 3.5.0-r0' -y" },
  ],
  arguments: [EVENTS],
  options: REASON,
});

export const rejectDefinition = define({
  writes: true,
  name: "reject",
  summary: "Reject events of advisories",
  description: `Rejected events are kept, but have no effect and can no longer change.

${CONFIRMED}`,
  examples: [{ command: "wharf advisories reject CGA-xxxx-xxxx-xxxx --reason 'not reproducible'" }],
  arguments: [EVENTS],
  options: REASON,
});

export const requestChangesDefinition = define({
  writes: true,
  name: "request-changes",
  summary: "Request changes from the authors of events",
  description: CONFIRMED,
  examples: [
    { command: "wharf advisories request-changes CGA-xxxx-xxxx-xxxx --reason 'which build?'" },
  ],
  arguments: [EVENTS],
  options: REASON,
});
