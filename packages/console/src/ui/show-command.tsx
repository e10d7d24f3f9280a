import { texts } from "../texts/common.ts";
import { Code } from "./code.tsx";
import { Disclosure } from "./disclosure.tsx";
import { Icon } from "./icons.tsx";

/** The same as what a screen shows or does, for a terminal. */
export interface Command {
  readonly cli: string;
  /** The path of the REST request, with its query. */
  readonly rest?: string;
  /** The request body. */
  readonly body?: object;
}

/** "Show as command": the CLI command and the HTTP request behind a screen. */
export function ShowCommand({ cli, rest, body }: Command) {
  const posted = body && ` -H 'Content-Type: application/json' -d ${quoted(JSON.stringify(body))}`;
  const curl =
    rest &&
    `curl -H "Authorization: Bearer $(wharf auth token)"${posted ?? ""} '${window.location.origin}${rest}'`;
  return (
    <Disclosure
      label={texts.command.open}
      title={texts.command.title}
      content={
        <>
          <Icon name="terminal" />
          {texts.command.open}
        </>
      }
    >
      <p className="popover-title">{texts.command.title}</p>
      <Code text={cli} />
      {curl && <Code text={curl} />}
    </Disclosure>
  );
}

/** A text as one word of a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
