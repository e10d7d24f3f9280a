import type { Area } from "../support/area.ts";

export const ACTIVITY: Area = {
  async fill(_, organization) {
    return { organization };
  },
  screens: {
    events: ({ organization }) => `events/${organization}`,
    "audit-log": ({ organization }) => `audit/${organization}`,
  },
  empty: ["events"],
};
