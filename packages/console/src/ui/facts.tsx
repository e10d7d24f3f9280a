import type { ReactNode } from "react";

/** What is known of one thing: terms with their values. Terms without a value are left out. */
export function Facts({ facts }: { readonly facts: Readonly<Record<string, ReactNode>> }) {
  const shown = Object.entries(facts).filter(([, value]) => value !== undefined && value !== "");
  return (
    <dl className="facts">
      {shown.map(([term, value]) => (
        <div key={term}>
          <dt>{term}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
