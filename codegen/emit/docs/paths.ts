/** The page of a package: `apps/v1` stands in `docs/apps-v1.md`. */
export function pageOf(name: string): string {
  return `docs/${pageName(name)}`
}

/** How another page of the same folder names it. */
export function pageName(name: string): string {
  return `${name.replaceAll('/', '-')}.md`
}
