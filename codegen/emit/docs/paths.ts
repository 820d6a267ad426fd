/** Where reference pages stand, and how they refer to each other. */
import { posix } from 'node:path'
import type { NamedType } from '../../schema/named-type.ts'

/** A package with more types than this has a page for each of its schema files. */
export const maxTypesOnPage = 100

/** The path of a package's page: `docs/apps-v1.md` for `apps/v1`. */
export function pageOf(name: string): string {
  return `docs/${pageName(name)}`
}

/** The name of a package's page, which other pages of the folder link to. */
export function pageName(name: string): string {
  return `${name.replaceAll('/', '-')}.md`
}

/**
 * The page of a type in a large package: `core-v1-pod.md`.
 * Schema files of one package have different names, so their pages do not collide.
 */
export function filePageName({ package: name, at }: NamedType): string {
  return pageName(`${name}-${posix.basename(at.file).replace(/\.ya?ml$/, '')}`)
}
