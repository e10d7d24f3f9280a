import { useId, useState } from "react";
import { docsTexts } from "../texts/docs.ts";
import { Code } from "../ui/code.tsx";
import { Failed } from "../ui/feedback.tsx";
import { useSending } from "../ui/sending.ts";
import { contentOf, exampleText, type Operation, type Parameter } from "./document.ts";
import { keyOf, pretty, requestOf } from "./request.ts";
import { type Caller, caller } from "./session.ts";

const { tryIt: labels } = docsTexts;

/** Streams do not end by themselves; long answers are cut. */
const TIMEOUT_MS = 10_000;
const MAX_CHARACTERS = 200_000;

interface Answer {
  readonly status: number;
  readonly ms: number;
  readonly requestId: string;
  readonly text: string;
  readonly isCut: boolean;
}

/** Calls an operation with the session of the console, for those who are signed in. */
export function TryIt({ operation }: { readonly operation: Operation }) {
  const [who, setWho] = useState<Caller | "nobody">();
  const needsToken = (operation.security ?? []).some((one) => "bearer" in one);
  // Other credentials than those of the session.
  const isForeign = !needsToken && (operation.security ?? []).length > 0;
  if (isForeign) return null;
  const open = async () => setWho((await caller()) ?? "nobody");
  const isOpen = !needsToken || (who !== undefined && who !== "nobody");
  return (
    <section aria-labelledby="try-it">
      <h2 id="try-it">{labels.title}</h2>
      {!isOpen && who === undefined && (
        <div>
          <button type="button" className="button" onClick={open}>
            {labels.open}
          </button>
        </div>
      )}
      {who === "nobody" && (
        <p>
          {labels.signedOut}{" "}
          <a href={`/console/sign-in?to=${encodeURIComponent(window.location.pathname)}`}>
            {labels.signIn}
          </a>
        </p>
      )}
      {isOpen && (
        <>
          <p className="soft">{typeof who === "object" ? labels.as(who.name) : labels.anonymous}</p>
          <RequestForm operation={operation} needsToken={needsToken} />
        </>
      )}
    </section>
  );
}

function RequestForm({
  operation,
  needsToken,
}: {
  readonly operation: Operation;
  readonly needsToken: boolean;
}) {
  const id = useId();
  const [answer, setAnswer] = useState<Answer>();
  const { error, isBusy, send } = useSending();
  const content = contentOf(operation.requestBody?.content);
  const call = async (data: FormData) => {
    setAnswer(undefined);
    const token = needsToken ? (await caller())?.accessToken : undefined;
    setAnswer(await request(operation, data, token));
  };
  return (
    <form
      className="try-it"
      onSubmit={(event) => {
        event.preventDefault();
        const data = new FormData(event.currentTarget);
        send(() => call(data));
      }}
    >
      {operation.parameters.map((parameter) => (
        <ParameterField key={keyOf(parameter)} parameter={parameter} />
      ))}
      {content !== undefined && (
        <div className="field">
          <label htmlFor={`${id}-body`}>{labels.body}</label>
          <textarea
            id={`${id}-body`}
            name="body"
            rows={8}
            className="json-text"
            spellCheck={false}
            defaultValue={exampleText(content) || "{}"}
          />
        </div>
      )}
      <div>
        <button type="submit" className="button" disabled={isBusy}>
          {labels.send}
        </button>
      </div>
      {error !== undefined && <Failed error={error} />}
      {answer !== undefined && (
        <div role="status">
          <p>
            <span className={answer.status < 400 ? "badge good" : "badge bad"}>
              {labels.answer(answer.status, answer.ms)}
            </span>{" "}
            <small className="soft">
              {labels.request} <code>{answer.requestId}</code>
            </small>
          </p>
          <Code text={answer.text} />
          {answer.isCut && <p className="soft">{labels.cut}</p>}
        </div>
      )}
    </form>
  );
}

function ParameterField({ parameter }: { readonly parameter: Parameter }) {
  const id = useId();
  const { name, required = false, schema = {} } = parameter;
  const options = schema.type === "boolean" ? ["true", "false"] : schema.enum?.map(String);
  return (
    <div className="field">
      <label htmlFor={id}>{name}</label>
      {options === undefined ? (
        <input
          id={id}
          name={keyOf(parameter)}
          required={required}
          autoComplete="off"
          spellCheck={false}
        />
      ) : (
        <select id={id} name={keyOf(parameter)}>
          <option value="" />
          {options.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      )}
    </div>
  );
}

async function request(
  operation: Operation,
  data: FormData,
  token: string | undefined,
): Promise<Answer> {
  const entered = Object.fromEntries([...data].map(([key, value]) => [key, String(value)]));
  const { url, headers, body } = requestOf(operation, entered, token);
  const start = performance.now();
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const response = await fetch(url, {
    method: operation.verb,
    headers,
    signal,
    cache: "no-store",
    ...(body !== undefined && { body }),
  });
  const ms = Math.round(performance.now() - start);
  const received = await readText(response);
  return {
    status: response.status,
    ms,
    requestId: response.headers.get("x-request-id") ?? "",
    text: pretty(received.slice(0, MAX_CHARACTERS)),
    isCut: received.length > MAX_CHARACTERS,
  };
}

/** The text of a response; of a stream, what arrives in time. */
async function readText(response: Response): Promise<string> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  try {
    while (reader !== undefined && text.length <= MAX_CHARACTERS) {
      const { value, done } = await reader.read();
      if (done) break;
      text += value;
    }
  } catch {
    // The time is over.
  }
  return text;
}
