import type { EventFilterJson } from "@wharf/contract/messages";
import { useDeferredValue, useMemo, useState } from "react";
import { api, useRead } from "../../api/client.ts";
import { subscriptionTexts } from "../../texts/subscriptions.ts";
import { Failed, Loading } from "../../ui/feedback.tsx";
import { Age } from "../../ui/time.tsx";
import { Uid } from "../../ui/uid.tsx";
import { useTypeNames } from "./names.tsx";

const { preview: labels } = subscriptionTexts;

const DAY_MS = 86_400_000;

/** Past events that the edited filters match. */
export function FilterPreview({
  group,
  filters = [],
}: {
  readonly group: string;
  readonly filters: readonly EventFilterJson[] | undefined;
}) {
  const [days, setDays] = useState("1");
  const since = useMemo(() => new Date(Date.now() - Number(days) * DAY_MS).toISOString(), [days]);
  const request = { group, filters: [...useDeferredValue(filters)], since };
  const { data, error, isPlaceholderData } = useRead(api.events.previewFilter, request);
  const typeNames = useTypeNames();
  const events = data?.events ?? [];
  return (
    <section className="panel preview" aria-labelledby="preview">
      <div className="panel-head">
        <h2 id="preview">{labels.title}</h2>
        <label>
          <span>{labels.over}</span>
          <select value={days} onChange={({ currentTarget: { value } }) => setDays(value)}>
            {Object.entries(labels.ranges).map(([value, text]) => (
              <option key={value} value={value}>
                {text}
              </option>
            ))}
          </select>
        </label>
      </div>
      {error !== null && <Failed error={error} />}
      {error === null && data === undefined && <Loading />}
      {error === null && data !== undefined && (
        <div aria-busy={isPlaceholderData}>
          <p role="status">
            {labels.count(Number(data.matchCount ?? 0), Number(data.totalCount ?? 0))}
          </p>
          {events.length === 0 ? (
            <p className="soft">{labels.none}</p>
          ) : (
            <ul className="preview-events">
              {events.map(({ id, type = "", subject = "", time }) => (
                <li key={id}>
                  <span title={type}>{typeNames.get(type) ?? type}</span>
                  <small className="soft">
                    <Uid uid={subject} /> · <Age time={time} />
                  </small>
                </li>
              ))}
            </ul>
          )}
        </div>
      )}
    </section>
  );
}
