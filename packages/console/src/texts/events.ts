const number = new Intl.NumberFormat("en");

export const eventTexts = {
  type: "Type",
  subject: "Subject",
  subjectHint: "UID of a resource",
  actor: "Who",
  actorHint: "UID of an identity",
  since: "From",
  until: "Before",
  noEvents: "No event yet",
  noEventsText: "Every change of a resource is an event. Events are kept for some weeks.",
  live: {
    live: "Live: new events appear by themselves.",
    connecting: "Connecting…",
    off: "Not live: your roles do not allow to read these events as they happen.",
    denied: "Not live: your roles do not allow to read these events any more.",
    paused: "Paused.",
  },
  pause: "Pause",
  resume: "Continue",
  waiting: (count: number) => (count === 1 ? "1 new event" : `${number.format(count)} new events`),
  service: "the service",
  one: {
    title: "Event",
    id: "ID",
    group: "Group",
    time: "Time",
    bodyType: "Message",
    json: "As CloudEvent",
    history: "Audit log of this resource",
    missing: "This event has expired, or you may not see it.",
  },
} as const;
