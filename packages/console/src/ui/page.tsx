import { type ReactNode, useEffect } from "react";
import { Breadcrumbs } from "../app/breadcrumbs.tsx";
import { type Command, ShowCommand } from "./show-command.tsx";

/** A screen: its heading, what can be done on it, and how to do the same without a browser. */
export function Page({
  title,
  group,
  command,
  actions,
  children,
}: {
  readonly title: string;
  /** The uid of the organization or folder. */
  readonly group?: string | undefined;
  readonly command?: Command | undefined;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}) {
  useEffect(() => {
    document.title = `${title} – Wharf`;
  }, [title]);
  return (
    <>
      {group !== undefined && <Breadcrumbs uid={group} />}
      <div className="page-head">
        {/* The focus gets here when what had it is gone. */}
        <h1 tabIndex={-1}>{title}</h1>
        <div className="actions">
          {command && <ShowCommand {...command} />}
          {actions}
        </div>
      </div>
      {children}
    </>
  );
}
