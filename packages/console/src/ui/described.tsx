import type { ReactNode } from "react";

/** A name, with what it stands for below it. */
export function Described({
  text,
  children,
}: {
  readonly text: string | undefined;
  readonly children: ReactNode;
}) {
  return (
    <>
      {children}
      {text && <small className="soft">{text}</small>}
    </>
  );
}
