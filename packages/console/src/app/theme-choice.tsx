import { texts } from "../texts/common.ts";

const KEY = "wharf.theme";

/** Light, dark or high contrast; the system decides until someone chooses. `theme.ts` applies the choice. */
export function ThemeChoice() {
  const choose = (theme: string) => {
    if (theme === "") localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, theme);
    // The browser informs the other tabs only.
    dispatchEvent(new StorageEvent("storage"));
  };
  return (
    <label className="field">
      {texts.shell.theme}
      <select
        defaultValue={localStorage.getItem(KEY) ?? ""}
        onChange={({ target }) => choose(target.value)}
      >
        {Object.entries(texts.shell.themes).map(([theme, name]) => (
          <option key={theme} value={theme}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}
