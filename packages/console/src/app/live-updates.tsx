import { useLiveUpdates } from "../api/live.ts";
import { pathOf, useScreenLocation } from "./location.ts";

/** Keeps what every screen shows up to date. */
export function LiveUpdates() {
  const { uid } = useScreenLocation();
  useLiveUpdates(uid === "" ? [] : pathOf(uid));
  return null;
}
