/** A uid where there is no name: its end, with the whole to hover and for screen readers. */
export function Uid({ uid }: { readonly uid: string }) {
  const isLong = uid.length > 18;
  return (
    <code title={uid} className="uid">
      {isLong && <span className="unseen">{uid}</span>}
      <span aria-hidden={isLong}>{isLong ? `…${uid.slice(-16)}` : uid}</span>
    </code>
  );
}
