import { useLiveUpdates } from "../api/live.ts";
import { pathOf, usePlace } from "./place.ts";

/** Keeps what every screen shows up to date. */
export function LiveUpdates() {
  const { uid } = usePlace();
  useLiveUpdates(uid === "" ? [] : pathOf(uid));
  return null;
}
