import { command, define } from "../command/definition.ts";

export const healthDefinition = define({
  name: "health",
  summary: "Check that the server is ready: for health checks of containers",
  description: `Exits with 0 if the server of --api is ready, and with 7 if it is unreachable or not ready. Needs no
login.`,
  examples: [
    { command: "wharf health" },
    { command: "wharf health --live", shows: "that the process answers, whatever its store does" },
  ],
  options: {
    live: { type: "boolean", summary: "Check liveness (/healthz) instead of readiness (/readyz)" },
  },
});

export const health = command(healthDefinition, () => import("./run.ts"));
