export const eventTexts = {
  subscriptions: "Subscriptions",
  recent: "Recent events",
  noSubscriptions: "No subscription here",
  noSubscriptionsText: "A subscription sends events to a URL of yours.",
  noEvents: "No event yet",
  noEventsText: "Every change of a resource is an event.",
  live: "Live",
  liveText: "New events appear by themselves.",
  states: { ACTIVE: "active", PAUSED: "paused", DISABLED: "disabled" } as Record<string, string>,
} as const;
