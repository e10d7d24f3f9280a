import type { EventFilterJson } from "@wharf/contract/messages";
import { subscriptionTexts } from "../../texts/subscriptions.ts";
import { Uid } from "../../ui/uid.tsx";
import { filtersText, fromFilters } from "./filter.ts";

/** A short description of a subscription's filters. */
export function FilterSummary({ filters }: { readonly filters: readonly EventFilterJson[] }) {
  const built = fromFilters(filters);
  if (built === undefined) return <code className="wrap">{filtersText(filters)}</code>;
  const { types, actor, subject, isBelow } = built;
  return (
    <>
      {types.length === 0 ? (
        subscriptionTexts.allEvents
      ) : (
        <ul className="tags">
          {types.map((type) => (
            <li key={type}>
              <code>{type}</code>
            </li>
          ))}
        </ul>
      )}
      {actor !== "" && (
        <small className="soft">
          {subscriptionTexts.filter.actor} <Uid uid={actor} />
        </small>
      )}
      {subject !== "" && (
        <small className="soft">
          {subscriptionTexts.filter.subject} <Uid uid={subject} />{" "}
          {isBelow && subscriptionTexts.filter.below}
        </small>
      )}
    </>
  );
}
