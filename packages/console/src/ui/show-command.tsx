import { Popover } from "@base-ui/react/popover";
import { useState } from "react";
import { texts } from "../texts.ts";
import { Icon } from "./icons.tsx";

/** The same as what a screen shows or does, for a terminal. */
export interface Command {
  readonly cli: string;
  /** The path of the REST request, with its query. */
  readonly rest?: string;
}

/** "Show as command": the CLI command and the HTTP request behind a screen. */
export function ShowCommand({ cli, rest }: Command) {
  const curl =
    rest &&
    `curl -H "Authorization: Bearer $(wharf auth token)" '${window.location.origin}${rest}'`;
  return (
    <Popover.Root>
      <Popover.Trigger className="button quiet">
        <Icon name="terminal" />
        {texts.command.open}
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner sideOffset={6} align="end">
          <Popover.Popup className="popover">
            <Popover.Title className="popover-title">{texts.command.title}</Popover.Title>
            <Code text={cli} />
            {curl && <Code text={curl} />}
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}

/** A text to copy. */
export function Code({ text }: { readonly text: string }) {
  return (
    <div className="code">
      <code>{text}</code>
      <CopyButton text={text} />
    </div>
  );
}

export function CopyButton({ text }: { readonly text: string }) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), 2_000);
  };
  return (
    <button type="button" className="button quiet small" onClick={copy}>
      <Icon name={copied ? "check" : "copy"} />
      <span aria-live="polite">{copied ? texts.copied : texts.copy}</span>
    </button>
  );
}
