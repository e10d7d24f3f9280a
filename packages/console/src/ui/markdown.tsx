import type { Token, Tokens } from "marked";
import { createElement, Fragment, type ReactNode } from "react";
import { texts } from "../texts/common.ts";
import { MAX_DEPTH, tokensOf, withoutTags } from "./markdown-tokens.ts";

/**
 * Markdown as elements. Nothing of it is ever markup: HTML is left out, links lead to web and mail addresses only, and
 * images, which would tell other sites who reads this, are links.
 */
export function Markdown({ text }: { readonly text: string }) {
  const tokens = tokensOf(text);
  if (tokens === undefined) return <pre className="source">{text}</pre>;
  return <div className="markdown">{render(tokens, 0)}</div>;
}

function render(tokens: readonly Token[] | undefined, depth: number): ReactNode {
  return (tokens ?? []).map((token, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the tokens of a text never change their order
    <Fragment key={at}>{depth > MAX_DEPTH ? token.raw : element(token, depth + 1)}</Fragment>
  ));
}

function element(token: Token, depth: number): ReactNode {
  switch (token.type) {
    case "heading":
      // The page has the first level.
      return createElement(`h${Math.min(token.depth + 1, 6)}`, null, render(token.tokens, depth));
    case "paragraph":
      return <p>{render(token.tokens, depth)}</p>;
    case "blockquote":
      return <blockquote>{render(token.tokens, depth)}</blockquote>;
    case "list":
      return list(token as Tokens.List, depth);
    case "table":
      return table(token as Tokens.Table, depth);
    case "code":
      return (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: long lines are scrolled with the keyboard
        <pre tabIndex={0}>
          <code>{token.text}</code>
        </pre>
      );
    case "codespan":
      return <code>{decoded(token.text)}</code>;
    case "strong":
      return <strong>{render(token.tokens, depth)}</strong>;
    case "em":
      return <em>{render(token.tokens, depth)}</em>;
    case "del":
      return <del>{render(token.tokens, depth)}</del>;
    case "hr":
      return <hr />;
    case "br":
      return <br />;
    case "link":
      return <Anchor href={token.href}>{render(token.tokens, depth)}</Anchor>;
    case "image":
      return <Anchor href={token.href}>{texts.markdown.image(decoded(token.text))}</Anchor>;
    case "html":
      return decoded(withoutTags(token.raw));
    case "space":
    case "def":
      return null;
    default:
      return token.type === "text" && token.tokens !== undefined
        ? render(token.tokens, depth)
        : decoded("text" in token ? String(token.text) : token.raw);
  }
}

function list({ ordered, start, items }: Tokens.List, depth: number): ReactNode {
  const content = items.map((item, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the tokens of a text never change their order
    <li key={at}>
      {item.task && <span aria-hidden="true">{item.checked ? "☑ " : "☐ "}</span>}
      {render(
        item.tokens.filter(({ type }) => type !== "checkbox"),
        depth,
      )}
    </li>
  ));
  if (!ordered) return <ul>{content}</ul>;
  return <ol start={typeof start === "number" ? start : 1}>{content}</ol>;
}

function table({ header, rows }: Tokens.Table, depth: number): ReactNode {
  return (
    <table>
      <thead>
        <tr>
          {header.map(({ tokens, text }) => (
            <th key={text} scope="col">
              {render(tokens, depth)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the tokens of a text never change their order
          <tr key={at}>
            {row.map(({ tokens }, column) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: as above
              <td key={column} data-label={header[column]?.text}>
                {render(tokens, depth)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Anchor({ href, children }: { readonly href: string; readonly children: ReactNode }) {
  const url = safeUrl(href);
  if (url === undefined) return children;
  return (
    <a href={url} rel="noopener noreferrer" target="_blank">
      {children}
    </a>
  );
}

/** A web or mail address; undefined for anything else, relative addresses included. */
export function safeUrl(text: string): string | undefined {
  const url = URL.parse(text);
  return url !== null && /^(https?|mailto):$/.test(url.protocol) ? url.href : undefined;
}

const NAMED: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: "\u00a0",
};

/** A text with its character references replaced. React takes it for nothing but text. */
function decoded(text: string): string {
  return text.replace(
    /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]+));/gi,
    (whole, number, hex, name) => {
      if (name !== undefined) return NAMED[name] ?? whole;
      const code = number === undefined ? Number.parseInt(hex, 16) : Number(number);
      return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
    },
  );
}
