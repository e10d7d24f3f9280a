import { useState } from "react";
import { texts } from "../texts/common.ts";
import { Icon } from "./icons.tsx";

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
