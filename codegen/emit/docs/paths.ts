import { posix } from 'node:path'
import type { NamedType } from '../../schema/ir.ts'

/** A package with more types than a person reads on one page has a page for each of its schema files. */
export const mostOnPage = 100

/** The page of a package: `apps/v1` stands in `docs/apps-v1.md`. */
export function pageOf(name: string): string {
  return `docs/${pageName(name)}`
}

/** How another page of the same folder names it. */
export function pageName(name: string): string {
  return `${name.replaceAll('/', '-')}.md`
}

/** The page of a type whose package has a page for each schema file: `core-v1-pod.md`. */
export function filePageName({ package: name, at }: NamedType): string {
  return pageName(`${name}-${posix.basename(at.file).replace(/\.ya?ml$/, '')}`)
}
