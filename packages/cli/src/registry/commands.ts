import { command, define, group } from "../command/definition.ts";

export const reconcileDefinition = define({
  name: "reconcile",
  summary: "Reconcile attached registries now, to repair missed notifications",
  description: `Waits for the reconcile pass and prints its findings. The server also reconciles at startup and every
--reconcile-minutes. Ctrl-C stops waiting, not the pass.

Requires the operator's token.`,
  examples: [
    { command: "wharf registry reconcile", shows: "all attached registries" },
    { command: "wharf registry reconcile registry.example.com -o json" },
  ],
  arguments: [{ name: "host", summary: "Host of a registry (default: all)" }],
});

export const registry = group({
  name: "registry",
  summary: "Reconcile attached registries",
  commands: [command(reconcileDefinition, () => import("./reconcile.ts"))],
});
