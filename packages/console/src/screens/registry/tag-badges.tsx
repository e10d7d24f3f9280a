import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";

/** Tags, each of which leads to its row in the repository. */
export function TagBadges({
  repo,
  tags,
  children,
}: {
  readonly repo: string;
  readonly tags: readonly string[];
  /** Content after the badges. */
  readonly children?: ReactNode;
}) {
  return (
    <span className="badges">
      {tags.map((name) => (
        <Link
          key={name}
          to="/repo/$"
          params={{ _splat: repo } as never}
          search={{ name } as never}
          className="badge plain"
        >
          {name}
        </Link>
      ))}
      {children}
    </span>
  );
}
