import { ageText } from "./times.ts";

const absolute = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "medium" });

/** The age of a time, with the exact time as its tooltip. */
export function Age({ time }: { readonly time: string | undefined }) {
  if (time === undefined) return null;
  const date = new Date(time);
  return (
    <time dateTime={time} title={absolute.format(date)}>
      {ageText(date.getTime() - Date.now())}
    </time>
  );
}
