import type { ReactNode } from "react";
import { Icon, type IconName } from "../../ui/icons.tsx";

/** A list whose entries have an icon, a name, details below it, and buttons beside it. */
export function Entries({
  label,
  children,
}: {
  readonly label: string;
  readonly children: ReactNode;
}) {
  return (
    <ul className="entries" aria-label={label}>
      {children}
    </ul>
  );
}

export function Entry({
  icon,
  name,
  details = [],
  children,
}: {
  readonly icon: IconName;
  readonly name: ReactNode;
  /** Empty ones are left out. */
  readonly details?: readonly ReactNode[];
  /** The buttons. */
  readonly children?: ReactNode;
}) {
  const shown = details.filter(Boolean);
  return (
    <li className="entry">
      <Icon name={icon} />
      <div>
        <p className="entry-name">{name}</p>
        {shown.length > 0 && (
          <ul className="entry-details">
            {shown.map((detail, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the details of an entry keep their order
              <li key={at}>{detail}</li>
            ))}
          </ul>
        )}
      </div>
      <div className="actions">{children}</div>
    </li>
  );
}
