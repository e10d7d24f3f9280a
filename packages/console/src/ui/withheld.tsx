import { useAccess } from "../api/access.ts";
import { texts } from "../texts/common.ts";
import { Disclosure } from "./disclosure.tsx";
import { Icon } from "./icons.tsx";

/** Stands for an action that the caller may not do: it tells what is missing, and who can help. */
export function Withheld({
  label,
  capability,
  className = "button quiet",
}: {
  readonly label: string;
  /** The missing capability, such as `groups.create`. */
  readonly capability: string;
  readonly className?: string;
}) {
  const { isKnown } = useAccess();
  if (!isKnown) return null;
  return (
    <Disclosure
      label={texts.withheld.label(label)}
      title={texts.withheld.title}
      className={`${className} withheld`}
      content={
        <>
          <Icon name="lock" />
          {label}
        </>
      }
    >
      <p>
        {texts.withheld.needs} <code>{capability}</code>
      </p>
      <p className="soft">{texts.withheld.help}</p>
    </Disclosure>
  );
}
