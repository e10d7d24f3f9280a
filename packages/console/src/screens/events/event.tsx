import { Link } from "@tanstack/react-router";
import { parentOf, screenLink, useScreenLocation } from "../../app/location.ts";
import { texts } from "../../texts/common.ts";
import { eventTexts } from "../../texts/events.ts";
import { Code } from "../../ui/code.tsx";
import { Facts } from "../../ui/facts.tsx";
import { Empty, Failed, Loading } from "../../ui/feedback.tsx";
import { Page } from "../../ui/page.tsx";
import { Age } from "../../ui/time.tsx";
import { Actor, useIdentityNames, useTypeNames } from "./names.tsx";
import { useEvent } from "./use-event.ts";

/** One event, with its message. */
export function Screen() {
  const { resource } = useScreenLocation();
  const group = parentOf(resource);
  const id = resource.slice(group.length + 1);
  const { event, error, isPending } = useEvent(group, id);
  const typeNames = useTypeNames();
  const names = useIdentityNames([event?.actor]);
  const type = event?.type ?? "";
  return (
    <Page
      title={typeNames.get(type) ?? (type || eventTexts.one.title)}
      group={group}
      command={{
        cli: `wharf events tail --parent ${group} --after ${id}`,
        rest: `/events/v2beta1/events/${group}?filters=[{"exact":{"id":"${id}"}}]`,
      }}
    >
      {error !== null && <Failed error={error} />}
      {isPending && <Loading />}
      {!isPending && error === null && event === undefined && (
        <Empty title={texts.notFound.title}>{eventTexts.one.missing}</Empty>
      )}
      {event !== undefined && (
        <>
          <Facts
            facts={{
              [eventTexts.one.time]: <Age time={event.time} />,
              [texts.columns.type]: <code>{event.type}</code>,
              [texts.columns.subject]: <code>{event.subject}</code>,
              [eventTexts.actor]: <Actor event={event} names={names} />,
              [eventTexts.one.group]: <code>{event.group}</code>,
              [eventTexts.one.bodyType]: <code>{event.bodytype}</code>,
              [eventTexts.one.id]: <code>{event.id}</code>,
            }}
          />
          <p>
            <Link {...screenLink("audit", group)} search={{ resource: event.subject } as never}>
              {eventTexts.one.history}
            </Link>
          </p>
          <section aria-labelledby="json">
            <h2 id="json">{eventTexts.one.json}</h2>
            <Code text={JSON.stringify(event, null, 2)} />
          </section>
        </>
      )}
    </Page>
  );
}
