/** Text of the document: paragraphs, lists and `code`. */
export function Prose({ text }: { readonly text: string | undefined }) {
  const blocks = (text ?? "").split(/\n\n+/).filter(Boolean);
  return blocks.map((block) =>
    block.startsWith("- ") ? (
      <ul key={block} className="bullets">
        {block.split(/\n(?=- )/).map((item) => (
          <li key={item}>
            <Inline text={item.slice(2)} />
          </li>
        ))}
      </ul>
    ) : (
      <p key={block}>
        <Inline text={block} />
      </p>
    ),
  );
}

/** Text with `code` in it. */
export function Inline({ text }: { readonly text: string | undefined }) {
  const parts = (text ?? "").split("`");
  return parts.map((part, at) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: parts have no other identity
    at % 2 === 1 ? <code key={at}>{part}</code> : part,
  );
}
