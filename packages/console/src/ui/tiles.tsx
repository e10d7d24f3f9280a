import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";

/** A number with its name, which leads to the things that it counts. */
export interface Tile {
  readonly name: string;
  readonly value: ReactNode;
  readonly note?: string;
  readonly tone?: "bad" | "warn" | "calm" | "plain";
  /** The search of the list on the same screen. */
  readonly search?: Readonly<Record<string, string>>;
}

/** Numbers of an overview. */
export function Tiles({
  label,
  tiles,
}: {
  readonly label: string;
  readonly tiles: readonly Tile[];
}) {
  return (
    <ul className="tiles" aria-label={label}>
      {tiles.map(({ name, value, note, tone = "plain", search }) => {
        const content = (
          <>
            <span className="tile-name">{name}</span>
            <span className="tile-value">{value}</span>
            {note && <small className="soft">{note}</small>}
          </>
        );
        return (
          <li key={name}>
            {search === undefined ? (
              <div className={`tile ${tone}`}>{content}</div>
            ) : (
              <Link to="." search={search as never} className={`tile ${tone}`}>
                {content}
              </Link>
            )}
          </li>
        );
      })}
    </ul>
  );
}
