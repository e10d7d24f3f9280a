/**
 * Applies the chosen theme before anything is shown, and in all tabs when it changes in one. A script of its own: the
 * page waits for it, and for nothing else.
 */
function applyTheme(): void {
  const page = document.documentElement;
  const theme = localStorage.getItem("wharf.theme");
  if (theme === null) page.removeAttribute("data-theme");
  else page.setAttribute("data-theme", theme);
}

applyTheme();
addEventListener("storage", applyTheme);
