import { command, define, group, type Options } from "../command/definition.ts";
import { completeOf } from "../resolve/choices.ts";
import { REPO } from "../resolve/kinds.ts";
import { resourceCommands } from "../resource/commands.ts";
import { PARENT } from "../resource/options.ts";

const load = () => import("./run.ts");

export const STATUSES = ["not-affected", "fixed", "accepted", "affected"] as const;

export const JUSTIFICATIONS = [
  "component_not_present",
  "vulnerable_code_not_present",
  "vulnerable_code_not_in_execute_path",
  "vulnerable_code_cannot_be_controlled_by_adversary",
  "inline_mitigations_already_exist",
] as const;

export const STATES = ["pending", "approved", "rejected"] as const;

export const FILTERS = {
  vulnerability: {
    type: "string",
    value: "ID",
    summary: "Only decisions about this vulnerability",
  },
  state: { type: "choice", choices: STATES, summary: "Only decisions in this state" },
} as const satisfies Options;

const DECISION = {
  name: "decision",
  summary: "Vulnerability, if only one decision is about it, or UID of the decision",
  required: true,
} as const;

export const createDefinition = define({
  writes: true,
  name: "create",
  summary: "Decide about a vulnerability in the images of a group or repo",
  description: `A decision takes effect once somebody else approves it. The nearest decision to an image wins. Findings
that it suppresses remain listed, with the decision.`,
  examples: [
    {
      command:
        "wharf decisions create CVE-2026-0001 --repo acme/app --status not-affected --justification vulnerable_code_not_in_execute_path",
    },
    {
      command:
        "wharf decisions create CVE-2026-0001 --parent acme --status accepted --until 30d --reason 'behind the firewall'",
    },
  ],
  arguments: [{ name: "vulnerability", summary: "Name, such as CVE-2026-0001", required: true }],
  options: {
    parent: { ...PARENT, required: false },
    repo: {
      type: "string",
      summary: "Repo that it applies to, instead of a group: name or UID",
      complete: completeOf(REPO),
    },
    status: { type: "choice", choices: STATUSES, summary: "What is decided", required: true },
    justification: {
      type: "choice",
      choices: JUSTIFICATIONS,
      summary: "Why the images are not affected, in the words of VEX",
    },
    reason: { type: "string", value: "TEXT", summary: "The reason, for people" },
    package: { type: "string", value: "PURL", summary: "Only in this package: a package URL" },
    digest: { type: "string", value: "DIGEST", summary: "Only in this image" },
    until: {
      type: "string",
      value: "TIME",
      summary: "End: such as 2027-01-31, or a duration such as 30d; required for accepted",
    },
  },
});

const REASON = { type: "string", value: "TEXT", summary: "The reason, for people" } as const;

export const approveDefinition = define({
  writes: true,
  name: "approve",
  summary: "Approve a decision, which then takes effect",
  description: "Nobody approves a decision that they have written.",
  examples: [
    { command: "wharf decisions approve CVE-2026-0001 --reason 'checked the call graph'" },
  ],
  arguments: [DECISION],
  options: { reason: REASON },
});

export const rejectDefinition = define({
  writes: true,
  name: "reject",
  summary: "Reject a decision",
  examples: [{ command: "wharf decisions reject CVE-2026-0001 --reason 'the endpoint is public'" }],
  arguments: [DECISION],
  options: { reason: REASON },
});

const verbs = resourceCommands(async () => (await load()).resource, {
  list: {
    summary: "List decisions",
    examples: [
      { command: "wharf decisions list --parent acme" },
      { command: "wharf decisions list --state pending", shows: "what waits for a review" },
    ],
    filters: FILTERS,
    byServer: { sort: ["uid", "created", "updated"], filter: [] },
  },
  describe: {
    summary: "Show a decision with its review",
    examples: [{ command: "wharf decisions describe CVE-2026-0001" }],
    argument: DECISION,
  },
  delete: {
    summary: "Delete decisions",
    examples: [{ command: "wharf decisions delete CVE-2026-0001" }],
    argument: {
      name: "decisions",
      summary: "Vulnerabilities that only one decision is about, or UIDs of decisions",
      required: true,
      variadic: true,
    },
  },
});

export const decisions = group({
  name: "decisions",
  aliases: ["decision"],
  summary: "Decide that images are not affected, or that a risk is accepted",
  commands: [
    verbs.list,
    verbs.describe,
    command(createDefinition, load, "create"),
    command(approveDefinition, load, "approve"),
    command(rejectDefinition, load, "reject"),
    verbs.delete,
  ],
});
